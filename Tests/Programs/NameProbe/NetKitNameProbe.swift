import Foundation
import NetKit
import NetKitTesting

/// Sends requests to names that a slow name server, a silent one or none resolves, and prints each result with its
/// time.
///
/// Each line is a word, the milliseconds that something took, and the result. The first argument names the scenario.
/// Names that begin with `silent` get no answer, and those that begin with `slow` get one after 300 ms.
@main
struct NetKitNameProbe {
    private let server: MockServer
    private let port: Int

    private init() throws {
        server = try MockServer()
        server.on(nil, "/**", .status(200))
        port = server.url("/").port ?? 0
    }

    static func main() async throws {
        let probe = try NetKitNameProbe()
        switch CommandLine.arguments.dropFirst().first {
        case "deadline": try await probe.deadline()
        case "shutdown": try await probe.shutdown()
        case "slow": try await probe.slow()
        case "crowd": try await probe.crowd()
        case "uncached": try await probe.uncached()
        case "guarded": try await probe.guarded()
        case "proxied": try await probe.proxied()
        case "repeated": try await probe.repeated()
        default:
            print("usage: NetKitNameProbe deadline | shutdown | slow | crowd | uncached | guarded | proxied | repeated")
            exit(2)
        }
        // Lookups may hang, and nothing waits for them.
        exit(0)
    }

    private func client(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) throws
        -> HTTPClient
    {
        var configuration = CurlTransport.Configuration()
        change(&configuration)
        return HTTPClient(transport: try CurlTransport(configuration: configuration), interceptors: [])
    }

    private func request(_ host: String) -> HTTPRequest {
        HTTPRequest(.get, RequestPath(raw: "http://\(host):\(port)/"))
    }

    @discardableResult
    private func call(
        _ client: HTTPClient,
        _ host: String,
        timeout: Duration? = nil,
        as word: String? = nil
    ) async -> String {
        await call(client, request(host), timeout: timeout, as: word)
    }

    @discardableResult
    private func call(
        _ client: HTTPClient,
        _ request: HTTPRequest,
        timeout: Duration? = nil,
        as word: String? = nil
    ) async -> String {
        let start = ContinuousClock.now
        var end = "ok"
        do {
            _ = try await client.send(request, options: CallOptions(timeout: timeout))
        } catch let error as NetKitError {
            end = "\(error.code) \(error.outcome) \(error.message)"
        } catch {
            end = "\(error)"
        }
        if let word { Self.tell(word, start, end) }
        return end
    }

    private static func tell(_ word: String, _ start: ContinuousClock.Instant, _ end: String = "") {
        let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        print(word, milliseconds, end)
    }

    /// A deadline while a name is looked up, and calls beside it whose host is an address.
    private func deadline() async throws {
        let client = try client()
        await call(client, "127.0.0.1")
        async let late: String = call(
            client,
            "silent.test",
            timeout: .milliseconds(300),
            as: "deadline"
        )
        async let cancelled: Void = cancel(client)
        let clock = ContinuousClock()
        var longest = Duration.zero
        let start = clock.now
        while clock.now - start < .milliseconds(900) {
            let begin = clock.now
            await call(client, "127.0.0.1")
            longest = max(longest, clock.now - begin)
        }
        print("beside", Int(longest / .milliseconds(1)), "ok")
        _ = await (late, cancelled)
    }

    private func cancel(_ client: HTTPClient) async {
        let task = Task { await call(client, "silent2.test") }
        try? await Task.sleep(for: .milliseconds(150))
        let start = ContinuousClock.now
        task.cancel()
        Self.tell("cancelled", start, await task.value)
    }

    private func shutdown() async throws {
        let client = try client()
        let task = Task { await call(client, "silent.test") }
        try? await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        await client.shutdown(within: .milliseconds(500))
        Self.tell("shutdown", start, await task.value)
    }

    /// A name that takes 300 ms, after a connection was closed whose descriptor the system gives out again.
    private func slow() async throws {
        let client = try client()
        server.on(nil, "/closing", .status(200).connectionClose())
        for _ in 0..<2 { _ = try await client.send(HTTPRequest(.get, server.url("/closing"))) }
        for number in 0..<4 { await call(client, "slow\(number).test", as: "slow") }
        await call(client, "slow0.test", as: "again")
    }

    /// A name whose addresses are used once.
    private func uncached() async throws {
        let client = try client { $0.connections.nameCacheTime = .zero }
        for _ in 0..<2 { await call(client, "slow.test", as: "uncached") }
    }

    /// A name with an address that the guard refuses, and a proxy that would connect to it.
    private func guarded() async throws {
        var configuration = CurlTransport.Configuration()
        if let url = URL(string: "socks5://127.0.0.1:\(port)") { configuration.proxy = .url(url) }
        var settings = HTTPClient.Configuration()
        settings.addressGuard = AddressGuard(resolve: { _ in ["93.184.216.34"] })
        let transport = try CurlTransport(configuration: configuration)
        let client = HTTPClient(transport: transport, interceptors: [], configuration: settings)
        await call(client, "known.test", as: "guarded")
        print("connections", server.connectionCount, "ok")
    }

    /// Names and an address behind a proxy that takes addresses, and has an address or a name.
    private func proxied() async throws {
        for proxy in ["127.0.0.1", "proxy.test"] {
            let client = try client { configuration in
                if let url = URL(string: "socks5://\(proxy):1080") { configuration.proxy = .url(url) }
            }
            for host in ["known.test", "127.0.0.1", "another.test"] { await call(client, host, as: proxy) }
        }
    }

    /// A request on a connection that the server closes before it responds, when the address is more than a second
    /// old.
    private func repeated() async throws {
        let client = try client()
        let first = ServerReply.text("ok").pausing(.milliseconds(1100))
        server.on(.post, "/order", first, .text("no").closing(at: .start), .text("again"))
        let order = HTTPRequest(.post, RequestPath(raw: "http://known.test:\(port)/order"), body: .text("one"))
        for _ in 0..<2 { await call(client, order, as: "repeated") }
        print("requests", server.requests.count, "ok")
    }

    /// Very many names without an answer, and calls beside them that must continue.
    private func crowd() async throws {
        let client = try client { $0.connections.nameCacheTime = .milliseconds(1) }
        let open = try self.client { $0.connections.nameCacheTime = .milliseconds(1) }
        await call(client, "known.test", as: "first")
        await call(open, "open.test", as: "first")
        let silent = (0..<200).map { number in Task { await call(client, "silent\(number).test") } }
        try await Task.sleep(for: .milliseconds(200))
        let fresh = try self.client { $0.connections.nameCacheTime = .milliseconds(1) }
        await call(fresh, "127.0.0.1", as: "literal")
        await call(open, "open.test", as: "open")
        await call(fresh, "known.test", as: "known")
        await call(fresh, "localhost", as: "localhost")
        await call(fresh, "another.test", as: "new")
        for task in silent { task.cancel() }
        var refused = 0
        for task in silent where await task.value.hasPrefix("dns not sent") { refused += 1 }
        print("refused", refused, "of 200")
    }
}
