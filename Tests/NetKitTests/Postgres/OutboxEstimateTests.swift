import NetKit
import Testing

@testable import NetKitPostgres

struct OutboxEstimateTests {
    @Test(arguments: [Int.min, -1, 0])
    func boundsBelowZeroAreNear(_ bound: Int) {
        let estimate = OutboxEstimate()
        let all = [
            OfflineBounds(maxEntries: bound), OfflineBounds(maxBytes: bound), OfflineBounds(maxDeadLetters: bound),
        ]
        for bounds in all { #expect(estimate.isNear(bounds, count: 1, bytes: 1)) }
        #expect(!estimate.isNear(OfflineBounds(), count: 1, bytes: 1))
    }
}
