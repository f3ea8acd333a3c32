import Foundation
import NetKit

/// Returns the code of the thrown error, or `nil` if it is not one of NetKit's.
func codeThrown(by body: () async throws -> some Any) async -> NetKitError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? NetKitError)?.code
    }
}
