/// The position of a waiting call: by its priority, and by the time it has waited.
///
/// A lower priority counts as a later arrival. A call therefore rises while it waits: calls that arrive much later come
/// after it whatever their priority, and no call waits forever.
struct QueueRank: Comparable, Sendable {
    private let position: Int64
    private let number: Int

    /// Creates a place in line.
    ///
    /// The number orders otherwise equal calls, and the head start is the waiting time that offsets one step of
    /// priority.
    init(_ priority: TaskPriority, arrival: NetKitClock.Instant, number: Int, headStart head: Duration) {
        // `.high` is 25, `.medium` 21, `.low` 17, `.background` 9: four to a step.
        let below = Int64(max(0, Int(TaskPriority.high.rawValue) - Int(priority.rawValue)))
        position = arrival.nanoseconds.addingSaturated(head.clampedNanoseconds.multipliedSaturated(by: below) / 4)
        self.number = number
    }

    static func < (left: QueueRank, right: QueueRank) -> Bool {
        (left.position, left.number) < (right.position, right.number)
    }
}
