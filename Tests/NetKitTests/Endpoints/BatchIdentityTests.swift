import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// A credential for the last part of the path.
struct TenantKey: CredentialAdding {
    let stage = Stage.auth
    let secretHeaderNames: Set<String> = ["X-Key"]

    func identity(for request: HTTPRequest, tags: CallTags) -> CredentialIdentity? {
        CredentialIdentity(request.url.lastPathComponent)
    }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        var request = request
        request.headers["X-Key"] = request.url.lastPathComponent
        return try await next(request, context)
    }
}

/// Tests of batches, some of whose calls begin after another user has logged in.
@Suite(.timeLimit(.minutes(5)))
struct BatchIdentityTests {
    private let time = TestClock()
    private let transport = MockTransport()

    @Test func theRestOfABatchIsNotSentForAnotherUser() async throws {
        transport.stub(.get, "/first", .jsonText("1").delayed(by: .seconds(5)))
        transport.stub(.get, "/second", .jsonText("2"))
        let tokens = TokenStore(initial: "a", identity: "ada")
        let client = HTTPClient.testing(transport, AuthInterceptor(tokens), time: time)
        let endpoints: [Endpoint<Int>] = [.get("/first"), .get("/second")]
        let batch = Task { await client.sendAll(endpoints, maxConcurrent: 1) }
        await time.waitForSleepers(1)
        await tokens.set(AccessToken("b"), identity: "bob")
        time.advance(by: .seconds(5))
        let results = await batch.value
        #expect(try results[0].get() == 1)
        let error = #expect(throws: NetKitError.self) { try results[1].get() }
        #expect(error?.code == .unauthorized)
        #expect(error?.cause is IdentityChange)
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer a"])
    }

    @Test func theCallsOfABatchMayHaveIdentitiesOfTheirOwn() async throws {
        transport.stub(.get, "/tenants/*", .jsonText("1"))
        let client = HTTPClient.testing(transport, TenantKey(), time: time)
        let endpoints: [Endpoint<Int>] = [.get("/tenants/one"), .get("/tenants/two")]
        let results = await client.sendAll(endpoints, maxConcurrent: 1)
        #expect(try results.map { try $0.get() } == [1, 1])
        #expect(transport.requests.map { $0.headers["X-Key"] } == ["one", "two"])
    }
}
