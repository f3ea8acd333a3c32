import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of entries whose credentials a user's interceptor adds, so that the identity depends on the request.
@Suite(.timeLimit(.minutes(5)))
struct OfflineAdderTests {
    private final class Signing: CredentialAdding {
        let user = Locked("ada")

        var stage: Stage { .auth }
        var secretHeaderNames: Set<String> { ["X-User"] }

        func identity(for request: HTTPRequest, tags: CallTags) -> CredentialIdentity? {
            CredentialIdentity(name(for: request))
        }

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            var request = request
            request.headers["X-User"] = name(for: request)
            return try await next(request, context)
        }

        private func name(for request: HTTPRequest) -> String {
            request.url.lastPathComponent == "app" ? "app" : user.withLock { $0 }
        }
    }

    private struct Tenant: CallTag {
        let name: String
    }

    /// Adds the credential of the tenant that a tag or a header field names.
    private struct TenantSigning: CredentialAdding {
        var stage: Stage { .auth }
        var secretHeaderNames: Set<String> { ["X-Signed"] }

        func identity(for request: HTTPRequest, tags: CallTags) -> CredentialIdentity? {
            name(for: request, tags).map { CredentialIdentity($0) }
        }

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            var request = request
            request.headers["X-Signed"] = name(for: request, context.tags)
            return try await next(request, context)
        }

        private func name(for request: HTTPRequest, _ tags: CallTags) -> String? {
            tags[Tenant.self]?.name ?? request.headers["X-Tenant"]
        }
    }

    /// Has the same identity for each request, and counts the questions.
    private struct AppSigning: IdentityVerifying {
        let asked = Shared(0)

        var stage: Stage { .auth }
        var secretHeaderNames: Set<String> { [] }

        func identity(for request: HTTPRequest, tags: CallTags) -> CredentialIdentity? {
            asked.withLock { $0 += 1 }
            return CredentialIdentity("app")
        }

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            try await next(request, context)
        }
    }

    /// Returns the options of a call that may be queued, and is made for a tenant.
    private func options(_ tenant: String) -> CallOptions {
        var options = CallOptions.deferrable("orders")
        options.tags[Tenant.self] = Tenant(name: tenant)
        return options
    }

    /// Returns the transport to a server that refuses connections until a flag is set.
    private func server(reachableIf isConnected: Flag) -> MockTransport {
        MockTransport { _, _ in
            guard isConnected.isSet else { throw NetKitError(.connect, "refused") }
            return HTTPResponse(status: 204)
        }
    }

    @Test func theInterceptorIsAskedAboutEachRequest() async throws {
        let time = TestClock()
        let signing = Signing()
        let transport = MockTransport()
        transport.stub(nil, "**", .status(204))
        let client = HTTPClient.testing(transport, signing, time: time)
        let monitor = ManualNetworkMonitor(isConnected: false)
        var configuration = OfflineQueue.Configuration()
        configuration.clock = time.clock
        let queue = try await OfflineQueue(
            store: InMemoryOfflineStore(),
            sender: client,
            monitor: monitor,
            configuration: configuration
        )
        let events = queue.events
        try await queue.enqueue(.post("/a"))
        try await queue.enqueue(.post("/app"))
        signing.user.withLock { $0 = "bob" }
        try await queue.enqueue(.post("/b"))
        monitor.set(isConnected: true)
        await events.wait(2, .delivered)
        await queue.processQueue()
        #expect(transport.requests.map { $0.headers["X-User"] } == ["app", "bob"])
        #expect(await queue.entries.map(\.waitsForIdentity) == [true])
        #expect(await queue.entries.map(\.identity) == ["ada"])
        signing.user.withLock { $0 = "ada" }
        await queue.processQueue()
        #expect(transport.requests.map { $0.headers["X-User"] } == ["app", "bob", "ada"])
        await queue.close()
    }

    /// Entries of very many identities may wait.
    @Test func theInterceptorIsAskedOnceForAllEntriesThatWait() async throws {
        let time = TestClock()
        let signing = AppSigning()
        let queue = try await OfflineQueue.testing(nil, time)
        for number in 0..<200 {
            var request = QueuedRequest.post("/a")
            request.identity = "tenant \(number)"
            try await queue.enqueue(request)
        }
        await queue.attach(HTTPClient.testing(MockTransport(), signing, time: time))
        signing.asked.withLock { $0 = 0 }
        await queue.processQueue()
        #expect(await queue.waitingForIdentityCount == 200)
        #expect(signing.asked.withLock { $0 } < 50)
        await queue.close()
    }

    /// The queue's own redaction does not know the field.
    @Test func theFieldOfACredentialIsNotKept() async throws {
        let time = TestClock()
        let transport = MockTransport { _, _ in
            HTTPResponse(status: 400, headers: ["X-User": "ada", "X-Own": "1"])
        }
        let monitor = ManualNetworkMonitor(isConnected: false)
        let queue = try await OfflineQueue.testing(nil, time, monitor: monitor)
        await queue.attach(HTTPClient.testing(transport, Signing(), time: time))
        let events = queue.events
        let headers: HTTPHeaders = ["X-User": "eve", "X-Own": "1"]
        try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/a", headers: headers)))
        #expect(await queue.pending.first?.headers == ["X-Own": "1"])
        monitor.set(isConnected: true)
        _ = await events.first(.deadLettered)
        let response = try #require(await queue.deadLetters.first?.response)
        #expect(response.headers["X-User"] == nil)
        #expect(response.headers["X-Own"] == "1")
        await queue.close()
    }

    /// An entry with the credential of its call would wait for an identity that its replay can never have.
    @Test func aCapturedCallWithItsOwnCredentialIsSentWithThatOfTheClient() async throws {
        let time = TestClock()
        let isConnected = Flag()
        let transport = server(reachableIf: isConnected)
        let queue = try await OfflineQueue.testing(nil, time)
        let auth = AuthInterceptor(TokenStore(initial: "a", identity: "ada"), header: "X-Account")
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue), auth, time: time)
        let options = CallOptions.deferrable("orders")
        let request = HTTPRequest(.post, "/orders", headers: ["X-Account": "own"], body: .text("1"))
        #expect(await thrownCode { try await client.send(request, options: options) } == .queued)
        #expect(await queue.entries.map(\.identity) == ["ada"])
        #expect(await queue.pending.map { $0.headers.contains("X-Account") } == [false])
        isConnected.set()
        await queue.attach(client)
        await queue.processQueue()
        #expect(transport.requests.map { $0.headers["X-Account"] } == ["own", "Bearer a"])
        #expect(await queue.pendingCount == 0)
        await queue.close()
    }

    /// Its replays would wait for ever, because they have no tags.
    @Test func aCallWhoseCredentialDependsOnATagIsNotQueued() async throws {
        let isConnected = Flag()
        let transport = server(reachableIf: isConnected)
        let queue = try await OfflineQueue.testing(nil)
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue), TenantSigning())
        let request = HTTPRequest(.post, "/orders", body: .text("1"))
        let options = options("tenant-7")
        let error = await #expect(throws: NetKitError.self) { try await client.send(request, options: options) }
        #expect(error?.code == .connect)
        #expect(error?.message.contains("depends on a tag") == true)
        #expect(await queue.pendingCount == 0)
        // It does not wait for its lane either.
        var earlier = QueuedRequest.post("/earlier", lane: "orders")
        earlier.identity = "tenant-7"
        try await queue.enqueue(earlier)
        isConnected.set()
        #expect(try await client.send(request, options: options).status == 204)
        #expect(await queue.pendingCount == 1)
        await queue.close()
    }

    @Test func aCallWhoseCredentialDependsOnAFieldIsReplayed() async throws {
        let isConnected = Flag()
        let transport = server(reachableIf: isConnected)
        let queue = try await OfflineQueue.testing(nil)
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue), TenantSigning())
        let request = HTTPRequest(.post, "/orders", headers: ["X-Tenant": "tenant-7"], body: .text("1"))
        let options = options("tenant-7")
        #expect(await thrownCode { try await client.send(request, options: options) } == .queued)
        #expect(await queue.entries.map(\.identity) == ["tenant-7"])
        isConnected.set()
        await queue.attach(client)
        await queue.processQueue()
        #expect(transport.requests.map { $0.headers["X-Signed"] } == ["tenant-7", "tenant-7"])
        #expect(await queue.pendingCount == 0)
        await queue.close()
    }

    /// Its entry waits until the identity is back.
    @Test func aCallDuringWhichTheLoginChangesIsQueued() async throws {
        let signing = Signing()
        let transport = MockTransport { _, _ in
            signing.user.withLock { $0 = "bob" }
            throw NetKitError(.connect, "refused")
        }
        let queue = try await OfflineQueue.testing(nil)
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue), signing)
        let request = HTTPRequest(.post, "/orders", body: .text("1"))
        let options = options("tenant-7")
        #expect(await thrownCode { try await client.send(request, options: options) } == .queued)
        #expect(await queue.entries.map(\.identity) == ["ada"])
        await queue.close()
    }
}
