import Foundation
import NetKit
import NetKitPostgres

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Ends while its calls run, and stays for a while after the libraries of the process have cleaned up.
///
/// The first argument is the URL of a server that speaks TLS, or of a database. The second one, if it is there, is a
/// URL for `URLSession`, which then initializes OpenSSL before NetKit does. Without it, an exit handler makes one more
/// call.
@main
struct NetKitExitProbe {
    static func main() async throws {
        let urls = CommandLine.arguments.dropFirst().compactMap { URL(string: $0) }
        guard (1...2).contains(urls.count) else {
            FileHandle.standardError.write(Data("usage: NetKitExitProbe URL [URL for URLSession]\n".utf8))
            exit(2)
        }
        let url = urls[0]
        // Handlers run in reverse order, so this one runs after those of all libraries that are loaded from here on.
        atexit {
            NetKitExitProbe.flush()
            usleep(300_000)
        }
        if urls.count > 1 { _ = try? await URLSession.shared.data(from: urls[1]) }
        let call = url.scheme == "https" ? try overHTTP(url) : toDatabase(url)
        if urls.count == 1 { lastCall.withLock { $0 = call } }
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

    /// The call that is made when the process ends.
    private static let lastCall = Locked<(@Sendable () async throws -> Void)?>(nil)

    /// Makes a last call and waits for its response, as an application that exports figures does.
    private static func flush() {
        guard let call = lastCall.withLock({ $0 }) else { return }
        let isFlushed = DispatchSemaphore(value: 0)
        Task {
            guard (try? await call()) != nil else { return }
            isFlushed.signal()
        }
        print(isFlushed.wait(timeout: .now() + 10) == .success ? "flushed" : "stuck")
    }

    private static func overHTTP(_ url: URL) throws -> @Sendable () async throws -> Void {
        let client = HTTPClient(transport: try CurlTransport())
        return { _ = try await client.data(from: url) }
    }

    private static func toDatabase(_ url: URL) -> @Sendable () async throws -> Void {
        var configuration = Postgres.Configuration()
        (configuration.encryption, configuration.migrations) = (.fromConnectionString, .none)
        return { [configuration] in
            let database = try await Postgres(url.absoluteString, configuration: configuration)
            await database.close()
        }
    }
}
