/// The position of a waiting call: by its priority, and by the time it has waited.
///
/// A lower priority is as good as a later arrival. So a call rises while it waits: those that arrive much later stand behind
/// it whatever their priority, and nobody waits for ever.
struct QueueRank: Comparable, Sendable {
    private let position: Int64
    private let number: Int

    /// Makes a place in line.
    ///
    /// - Parameters:
    ///   - priority: How urgent the call is.
    ///   - arrival: When it came.
    ///   - number: Which one it is, for those that are equal otherwise.
    ///   - head: How much earlier a call has to come to stand level with one that is a step more urgent.
    init(_ priority: TaskPriority, arrival: NetKitClock.Instant, number: Int, headStart head: Duration) {
        // `.high` is 25, `.medium` 21, `.low` 17, `.background` 9: four to a step.
        let below = Int64(max(0, Int(TaskPriority.high.rawValue) - Int(priority.rawValue)))
        let (delay, overflow) = head.clampedNanoseconds.multipliedReportingOverflow(by: below)
        position = arrival.nanoseconds.addingSaturated(overflow ? .max : delay / 4)
        self.number = number
    }

    static func < (left: QueueRank, right: QueueRank) -> Bool {
        (left.position, left.number) < (right.position, right.number)
    }
}
