import NetKit

/// How long something may take of the time in which this process can do anything at all.
///
/// It is waited for in parts: where every thread was held up for a while, which says nothing about what is waited for, that
/// while counts as one part at most.
struct Patience: Sendable {
    private static let parts = 16

    let limit: Duration
    var clock = NetKitClock.system

    /// Returns once it has run out, or throws as soon as the task is cancelled.
    func runOut() async throws {
        for _ in 0..<Self.parts { try await clock.sleep(until: clock.now.advanced(by: limit / Self.parts)) }
    }
}
