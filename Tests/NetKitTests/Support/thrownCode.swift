import NetKit

/// Returns the code of the thrown error, or `nil` if nothing or another error is thrown.
func thrownCode(_ body: () async throws -> some Any) async -> NetKitError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? NetKitError)?.code
    }
}
