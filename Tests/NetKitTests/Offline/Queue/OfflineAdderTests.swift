import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of entries whose credentials a user's interceptor adds, so that the identity depends on the request.
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
}
