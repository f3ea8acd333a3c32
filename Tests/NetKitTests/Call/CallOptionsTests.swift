import Testing

@testable import NetKit

struct CallOptionsTests {
    @Test func anOmittedSettingIsTheClients() {
        let options = CallOptions()
        #expect(options.priority == .medium)
        #expect(options.timeout == nil)
        #expect(options.timeouts == nil)
        #expect(options.delivery == nil)
        #expect(options.idempotencyKey == nil)
        #expect(options.principal == nil)
        #expect(options.id == nil)
    }

    @Test func anIdempotencyKeyIsGivenOrGenerated() {
        #expect(IdempotencyKey.automatic.value == nil)
        #expect(IdempotencyKey.value("k-1").value == "k-1")
        #expect(IdempotencyKey.value("k-1") == .value("k-1"))
        #expect(IdempotencyKey.value("k-1") != .automatic)
    }
}
