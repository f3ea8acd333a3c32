import Foundation
import NetKit
import NetKitTesting
import Testing

struct ClientConfigurationTests {
    /// Tests of the table of the guide, literally.
    @Test func theDefaultsAreThoseOfTheTable() {
        let configuration = HTTPClient.Configuration()
        #expect(configuration.timeouts.connect == .seconds(10))
        #expect(configuration.timeouts.firstByte == nil)
        #expect(configuration.timeouts.idle == .seconds(30))
        #expect(configuration.timeouts.attempt == .seconds(30))
        #expect(configuration.timeouts.total == nil)
        #expect(configuration.maxBufferedBytes == 64 << 20)
        #expect(configuration.maxErrorBodyBytes == 64 << 10)
        #expect(configuration.payload.maxFileBytes == 1 << 30)
        #expect(configuration.redirects == RedirectPolicy(maxHops: 20, allowsDowngrade: false))
        #expect(configuration.redaction == .standard)
        #expect(configuration.addressGuard == nil)
    }

    @Test func readsEveryVariable() throws {
        let configuration = try HTTPClient.Configuration(environment: [
            "NETKIT_CONNECT_TIMEOUT": "500ms", "NETKIT_FIRST_BYTE_TIMEOUT": "2.5", "NETKIT_IDLE_TIMEOUT": "2m",
            "NETKIT_ATTEMPT_TIMEOUT": "none", "NETKIT_TOTAL_TIMEOUT": " 1h ", "NETKIT_BUFFER_LIMIT": "512KiB",
            "NETKIT_MAX_REDIRECTS": "3", "NETKIT_ALLOW_DOWNGRADE": "yes", "NETKIT_PUBLIC_ADDRESSES_ONLY": "true",
            "NETKIT_UNRELATED": "x",
        ])
        #expect(configuration.timeouts.connect == .milliseconds(500))
        #expect(configuration.timeouts.firstByte == .milliseconds(2500))
        #expect(configuration.timeouts.idle == .seconds(120))
        #expect(configuration.timeouts.attempt == nil)
        #expect(configuration.timeouts.total == .seconds(3600))
        #expect(configuration.maxBufferedBytes == 512 << 10)
        #expect(configuration.redirects == RedirectPolicy(maxHops: 3, allowsDowngrade: true))
        #expect(configuration.addressGuard != nil)
    }

    @Test func anEmptyEnvironmentGivesTheDefaults() throws {
        let configuration = try HTTPClient.Configuration(environment: ["NETKIT_IDLE_TIMEOUT": ""])
        #expect(configuration.timeouts == .standard)
        #expect(configuration.maxBufferedBytes == 64 << 20)
    }

    @Test(arguments: [
        ("NETKIT_IDLE_TIMEOUT", "soon"), ("NETKIT_IDLE_TIMEOUT", "-1s"), ("NETKIT_IDLE_TIMEOUT", "0"),
        ("NETKIT_IDLE_TIMEOUT", "nan"), ("NETKIT_IDLE_TIMEOUT", "inf"), ("NETKIT_IDLE_TIMEOUT", "0x10"),
        ("NETKIT_IDLE_TIMEOUT", "1e-30"), ("NETKIT_CONNECT_TIMEOUT", "1.2.3s"), ("NETKIT_BUFFER_LIMIT", "-1"),
        ("NETKIT_BUFFER_LIMIT", "9999999999GiB"), ("NETKIT_BUFFER_LIMIT", "64MB"), ("NETKIT_MAX_REDIRECTS", "-1"),
        ("NETKIT_MAX_REDIRECTS", "many"), ("NETKIT_ALLOW_DOWNGRADE", "maybe"), ("NETKIT_MAX_REDIRECTS", "1 0"),
        ("NETKIT_IDLE_TIMEOUT", "1 0s"), ("NETKIT_BUFFER_LIMIT", "6 4KiB"), ("NETKIT_ALLOW_DOWNGRADE", "o n"),
    ])
    func aBadValueNamesItsVariable(name: String, value: String) throws {
        let error = #expect(throws: NetKitError.self) { try HTTPClient.Configuration(environment: [name: value]) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains(name) == true)
        #expect(error?.message.contains(value) == true)
    }

    @Test func aHugeDurationIsHeldAtTheLongest() throws {
        let configuration = try HTTPClient.Configuration(environment: ["NETKIT_IDLE_TIMEOUT": "99999999999999999999h"])
        #expect(configuration.timeouts.idle == .nanoseconds(Int64.max))
    }

    @Test(arguments: ["connect", "firstByte", "idle", "attempt", "total"])
    func anUnusableLimitIsAnErrorOfEveryCall(name: String) async {
        var configuration = HTTPClient.Configuration()
        switch name {
        case "connect": configuration.timeouts.connect = .seconds(-1)
        case "firstByte": configuration.timeouts.firstByte = .seconds(-1)
        case "idle": configuration.timeouts.idle = .seconds(-1)
        case "attempt": configuration.timeouts.attempt = .seconds(-1)
        default: configuration.timeouts.total = .seconds(-1)
        }
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, configuration: configuration)
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/")) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("timeouts.\(name)") == true)
        #expect(transport.requests.isEmpty)
        #expect(client.explain().contains(name))
    }

    @Test(arguments: ["https://", "/only/a/path", "ftp://example.com", "https:///x", "mailto:a@b"])
    func aBaseURLWithoutSchemeOrHostIsAnErrorOfEveryCall(text: String) async {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient(baseURL: URL(string: text), transport: transport)
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/users")) }
        #expect(error?.code == .invalidURL)
        #expect(error?.outcome == .notSent)
        #expect(error?.message.hasPrefix("The base URL cannot be used") == true)
        #expect(transport.requests.isEmpty)
    }

    @Test func aPathWithoutBaseURLIsAnErrorThatNamesTheCause() async {
        let client = HTTPClient(transport: MockTransport { _, _ in HTTPResponse(status: .ok) })
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/users")) }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.contains("base URL") == true)
    }

    @Test func explainShowsTheEffectiveChain() {
        let client = HTTPClient(
            baseURL: URL(string: "https://user:pass@api.example.com/v1"),
            transport: MockTransport(),
            interceptors: [Waiting(at: .auth)]
        )
        #expect(
            client.explain() == """
                HTTPClient for https://***@api.example.com/v1
                redirect   redirects: up to 20, never from https to http        once per call: each hop passes cache, retry and auth again
                retry      retry: one attempt                                   once per hop: everything below runs once per attempt
                auth       Waiting                                              once per attempt: a retry carries the current credential
                attempt    numbers the exchange and enforces the attempt limit  once per exchange: runs again for each exchange, right before the wire
                transport  MockTransport                                        one exchange on the wire
                """
        )
    }
}
