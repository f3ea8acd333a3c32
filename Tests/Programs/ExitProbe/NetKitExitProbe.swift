import Foundation
import NetKit
import NetKitPostgres

/// Ends while its calls run, and stays a while after the libraries of the process have cleaned up.
///
/// The argument is the URL of a server that speaks TLS, or of a database.
@main
struct NetKitExitProbe {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let url = URL(string: CommandLine.arguments[1]) else {
            FileHandle.standardError.write(Data("usage: NetKitExitProbe URL\n".utf8))
            exit(2)
        }
        // What was registered first runs last: after the handlers of all libraries that are loaded from here on.
        atexit { usleep(300_000) }
        let call = url.scheme == "https" ? try overHTTP(url) : toDatabase(url)
        let callers = 16
        let (answered, isAnswered) = AsyncStream.makeStream(of: Void.self)
        for _ in 0..<callers {
            Task {
                try await call()
                isAnswered.yield()
                while true { try? await call() }
            }
        }
        for await _ in answered.prefix(callers) {}
        print("answered")
        exit(0)
    }

    private static func overHTTP(_ url: URL) throws -> @Sendable () async throws -> Void {
        let client = HTTPClient(transport: try CurlTransport())
        return { _ = try await client.data(from: url) }
    }

    private static func toDatabase(_ url: URL) -> @Sendable () async throws -> Void {
        var configuration = Postgres.Configuration()
        (configuration.encryption, configuration.migrations) = (.asGiven, .none)
        return { [configuration] in
            let database = try await Postgres(url.absoluteString, configuration: configuration)
            await database.close()
        }
    }
}
