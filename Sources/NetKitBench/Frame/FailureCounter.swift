import Foundation
import NetKit

/// A counter of failed calls, by the texts of their errors.
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
