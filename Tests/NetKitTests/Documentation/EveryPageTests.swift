import Foundation
import NetKit
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// GUIDE: begin
private typealias HTTPClient = NetKit.HTTPClient
// GUIDE: end

/// Tests that every block of Swift in the guide is compiled by a test. The short ones are here.
struct EveryPageTests {
    @Test func everyBlockIsCompiled() throws {
        let tests = try Self.files(below: "Tests", ending: ".swift")
        let compiled = try Set(
            tests.flatMap { try GuidePage.parts(of: $0, from: "// GUIDE: begin", to: "// GUIDE: end") }
        )
        var count = 0
        for page in try Self.files(below: "Sources", ending: ".md") {
            for block in try GuidePage.parts(of: page, from: "```swift", to: "```") {
                #expect(compiled.contains(block), "\(page.lastPathComponent) shows what no test compiles:\n\(block)")
                count += 1
            }
        }
        #expect(count > 80)
    }

    private static func files(below folder: String, ending: String) throws -> [URL] {
        let place = GuidePage.root.appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: place.path(percentEncoded: false))
            .filter { $0.hasSuffix(ending) }
            .map { place.appending(path: $0) }
    }

    // MARK: - Short blocks

    private struct User: Decodable, Sendable {
        let id: Int
    }

    private struct Order: Encodable, Sendable {
        let id = 1
    }

    private let transport = MockTransport()

    private var client: HTTPClient {
        HTTPClient(baseURL: URL(string: "https://api.example.com/v1"), transport: transport, interceptors: [])
    }

    /// Compiled only, because it would use the network.
    private func first(_ id: String) async throws {
        // GUIDE: begin
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com/v1"))
        let user: User = try await client.send(.get("/users/\(id)"))
        // GUIDE: end
        _ = user
    }

    @Test func aCallIsCancelledByItsName() async throws {
        transport.stub(.get, "/v1/users/42", .stalled)
        let client = client
        // GUIDE: begin
        let id = CallID()
        let call = Task { try await client.send(HTTPRequest(.get, "/users/42"), options: CallOptions(id: id)) }
        call.cancel()  // or client.cancel(id), once the call has begun
        // GUIDE: end
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func aConfigurationIsAValue() throws {
        // GUIDE: begin
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.total = .seconds(60)
        configuration.redirects = .none

        let fromEnvironment = try HTTPClient.Configuration(environment: ProcessInfo.processInfo.environment)
        // GUIDE: end
        #expect(configuration.timeouts.total != fromEnvironment.timeouts.total)
    }

    @Test func theModuleDecidesWhoseTypeItIs() throws {
        let base = try #require(URL(string: "https://api.example.com"))
        // GUIDE: begin
        let client = NetKit.HTTPClient(baseURL: base)
        let request = NetKit.HTTPRequest(.get, "/users/42")
        // GUIDE: end
        #expect(client.baseURL == base)
        #expect(request.method == .get)
    }

    @Test func secretsAreNamed() {
        // GUIDE: begin
        var configuration = HTTPClient.Configuration()
        configuration.redaction.headerNames.insert("x-account")
        configuration.redaction.queryItems.insert("ticket")
        configuration.redaction.publicHeaderNames.insert("x-layout-token")
        configuration.redaction.publicQueryItems.insert("design_token")
        // GUIDE: end
        #expect(
            configuration.redaction.redacted(urlText: "https://a.example/?ticket=1&design_token=2")
                == "https://a.example/?ticket=***&design_token=2"
        )
        #expect(configuration.redaction.isSensitive(header: "X-Account"))
        #expect(!configuration.redaction.isSensitive(header: "X-Layout-Token"))
    }

    @Test func hostsAreExceptedFromTheGuard() {
        var configuration = HTTPClient.Configuration()
        // GUIDE: begin
        configuration.addressGuard = AddressGuard(exceptHosts: ["billing.internal"])
        // GUIDE: end
        #expect(configuration.addressGuard != nil)
    }

    @Test(arguments: [(MockResponse.text("no", status: 404), "404"), (.text("{}"), "")])
    func errorsAreToldApart(_ response: MockResponse, _ expected: String) async throws {
        transport.stub(.post, "/v1/orders", response)
        let (client, order) = (client, Order())
        var said = ""
        func print(_ code: Int, _ text: String) { said = "\(code)" }
        // GUIDE: begin
        do {
            try await client.send(.post("/orders", json: order))
        } catch let error as NetKitError where error.outcome == .notSent {
            // certainly safe to send again
        } catch NetKitError.Code.timeout {
            // a time limit expired
        } catch let error as NetKitError where error.code == .server {
            print(error.status?.code ?? 0, error.response?.excerpt() ?? "")
        }
        // GUIDE: end
        #expect(said == expected)
    }

    @Test func aClientIsShutDown() async {
        // GUIDE: begin
        let drained = await client.shutdown(within: .seconds(20))
        // GUIDE: end
        #expect(drained)
    }

    #if canImport(Glibc) || canImport(Musl)
        /// Compiled only, because the files do not exist.
        private func secured(_ base: URL) throws {
            // GUIDE: begin
            var configuration = CurlTransport.Configuration()
            configuration.tls.roots = .file("/etc/service/ca.pem")
            configuration.tls.identity = .init(certificatePath: "/etc/service/me.pem", keyPath: "/etc/service/me.key")
            configuration.connections.maxAge = .seconds(120)
            let client = HTTPClient(baseURL: base, transport: try CurlTransport(configuration: configuration))
            // GUIDE: end
            _ = client
        }
    #endif

    // GUIDE: begin
    struct Echo: Transport {
        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            context.attempt.noteConnecting()
            let pipe = BodyPipe()
            context.attempt.noteSending()
            if let body = request.body {
                for try await chunk in body.chunks { pipe.offer(chunk) }
            }
            pipe.finish()
            return HTTPResponse(status: .ok, body: ResponseBody(source: pipe))
        }
    }
    // GUIDE: end

    @Test func anOwnTransportEchoes() async throws {
        let client = HTTPClient(transport: Echo(), interceptors: [])
        let request = HTTPRequest(.post, "https://api.example.com/", body: .text("there and back"))
        #expect(try await client.send(request).body.text(upTo: 100) == "there and back")
    }

    // GUIDE: begin
    struct Stamp: RequestInterceptor {
        func intercept(_ request: URLRequest) async throws -> URLRequest {
            var request = request
            request.setValue("1", forHTTPHeaderField: "X-Stamp")
            return request
        }
    }

    struct Unwrap: ResponseInterceptor {
        func intercept(_ response: HTTPURLResponse, data: Data) async throws -> Data {
            data.dropFirst(4)
        }
    }

    struct Timing: Interceptor {
        let record: @Sendable (Duration) -> Void

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            let start = context.clock.now
            defer { record(start.duration(to: context.clock.now)) }
            return try await next(request, context)
        }
    }
    // GUIDE: end

    @Test func ownInterceptorsStampUnwrapAndTime() async throws {
        transport.stub(.get, "/x", .text("-->|ok"))
        let client = HTTPClient(
            transport: transport,
            interceptors: [Stamp(), Unwrap(), Timing { #expect($0 >= .zero) }]
        )
        let url = try #require(URL(string: "https://api.example.com/x"))
        #expect(try await client.data(from: url).0 == Data("ok".utf8))
        #expect(transport.requests.first?.headers["X-Stamp"] == "1")
    }
}
