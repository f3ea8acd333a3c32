import Foundation
import NetKit

/// The code of the error that something throws; nil where it throws none of NetKit's.
func codeThrown(by body: () async throws -> some Any) async -> NetKitError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? NetKitError)?.code
    }
}
