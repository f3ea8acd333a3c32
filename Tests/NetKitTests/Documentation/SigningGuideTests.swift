import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

// GUIDE: begin
struct Signing: CredentialAdding {
    let keyID: String
    let sign: @Sendable (String) -> String
    let secretHeaderNames: Set = ["Authorization"]
    var stage: Stage { .attempt }

    func identity(for request: HTTPRequest, tags: CallTags) -> CredentialIdentity? {
        CredentialIdentity(keyID)
    }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        var request = request
        let date = HTTPDate(context.clock.date).description
        let signature = sign("\(request.method.rawValue) \(request.url.path())\n\(date)")
        request.headers["Date"] = date
        request.headers["Authorization"] = "Signature keyId=\(keyID), signature=\(signature)"
        return try await next(request, context)
    }
}
// GUIDE: end

/// The recipe for signing, in a client that retries.
@Suite(.needsTheMachine)
struct SigningGuideTests {
    @Test func eachAttemptHasASignatureOfItsOwn() async throws {
        let time = TestClock(skipsSleeps: true)
        let transport = MockTransport()
        transport.stub(.get, "/v1/users/42", .status(503), .status(.ok))
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        let policy = RetryPolicy(backoffStrategy: .fixed(interval: .seconds(2)), jitter: .none)
        let signed = Notebook<String>()
        let signing = Signing(keyID: "key-7") { text in
            signed.add(text)
            return "signature-\(signed.count)"
        }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [RetryInterceptor(policy), signing],
            configuration: configuration
        )
        try await client.get("/users/42")
        #expect(
            transport.requests.map { $0.headers["Authorization"] } == [
                "Signature keyId=key-7, signature=signature-1", "Signature keyId=key-7, signature=signature-2",
            ]
        )
        let dates = transport.requests.compactMap { $0.headers["Date"] }
        #expect(signed.entries == dates.map { "GET /v1/users/42\n\($0)" })
        #expect(Set(dates).count == 2)
    }
}
