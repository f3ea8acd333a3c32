import Foundation
import NetKit
import Testing

struct CredentialAddingTests {
    private struct Signing: CredentialAdding {
        let stage: Stage
        let identity: String?
        let secretHeaderNames: Set<String> = ["X-Own-Mark"]

        func identity(for request: HTTPRequest, tags: CallTags) -> CredentialIdentity? {
            identity.map { CredentialIdentity($0) }
        }

        func addsCredential(to request: HTTPRequest, context: RequestContext) -> Bool { identity != nil }

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            try await next(request, context)
        }
    }

    /// The principal that an interceptor at a stage is given.
    private func principal(
        at stage: Stage,
        options: CallOptions = CallOptions(),
        _ adders: any CredentialAdding...
    ) async throws -> Principal? {
        let seen = Notebook<Principal?>()
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let asking = StagedInterceptor(stage) { request, context, next in
            seen.add(next.principal(for: request, context))
            return try await next(request, context)
        }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList([asking] + adders)
        )
        _ = try await client.send(HTTPRequest(.get, "/x"), options: options)
        return try #require(seen.entries.first)
    }

    @Test func outerInterceptorsKnowTheIdentityOfTheRequest() async throws {
        let adder = Signing(stage: .auth, identity: "tenant 7")
        #expect(try await principal(at: .cache, adder) == Principal("tenant 7"))
        #expect(try await principal(at: .coalesce, adder) == Principal("tenant 7"))
        #expect(try await principal(at: .limit, adder) == nil)
    }

    @Test func anInterceptorThatAddsNothingIsPassedOver() async throws {
        let adders = [Signing(stage: .auth, identity: nil), Signing(stage: .attempt, identity: "inner")]
        #expect(try await principal(at: .cache, adders[0], adders[1]) == Principal("inner"))
        #expect(try await principal(at: .cache, adders[0]) == nil)
        #expect(try await principal(at: .cache) == nil)
    }

    @Test func theCallersValueTakesPrecedence() async throws {
        let options = CallOptions(principal: Principal("mine"))
        #expect(
            try await principal(at: .cache, options: options, Signing(stage: .auth, identity: "x")) == Principal("mine")
        )
    }

    @Test func theClientKeepsTheHeaderSecret() {
        let client = HTTPClient(transport: MockTransport(), interceptors: [Signing(stage: .auth, identity: nil)])
        #expect(client.configuration.redaction.isSensitive(header: "x-own-MARK"))
        #expect(!HTTPClient(transport: MockTransport()).configuration.redaction.isSensitive(header: "x-own-mark"))
    }

    @Test func aNextMadeFromAFunctionKnowsOnlyTheCallersWord() {
        let next = Next { _, _ in HTTPResponse(status: .ok) }
        let request = HTTPRequest(.get, "/x")
        #expect(next.principal(for: request, .test()) == nil)
        let context = RequestContext.test(options: CallOptions(principal: Principal("mine")))
        #expect(next.principal(for: request, context) == Principal("mine"))
    }
}
