import Foundation
import NetKit

/// Counts how calls failed, by the words for it.
final class FailureCounter: Sendable {
    private let state = Locked<[String: Int]>([:])

    var counts: [String: Int] { state.withLock { $0 } }

    func note(_ error: any Error) {
        note(ErrorText.short(error))
    }

    func note(_ what: String) {
        state.withLock { $0[what, default: 0] += 1 }
    }
}
