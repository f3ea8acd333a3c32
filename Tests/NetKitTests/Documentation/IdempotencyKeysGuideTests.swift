import NetKit
import NetKitTestSupport
import Testing

/// The example of the page on idempotency keys, compiled and run.
@Suite(.needsTheMachine)
struct IdempotencyKeysGuideTests {
    @Test func theKeysWork() {
        // GUIDE: begin
        var configuration = HTTPClient.Configuration()
        configuration.idempotencyKeyMethods = [.post, .patch]  // every call of these methods
        let options = CallOptions(idempotencyKey: .automatic)  // or a single call
        let known = CallOptions(idempotencyKey: .value("order-7"))  // or with a key of your own
        // GUIDE: end
        #expect(options.idempotencyKey != known.idempotencyKey)
        #expect(configuration.idempotencyKeyMethods.count == 2)
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Idempotency-Keys").shows(#filePath))
    }
}
