/// The deadline that calls inherit from the task they are made in.
enum InheritedDeadline {
    struct Value: Sendable {
        let instant: NetKitClock.Instant
        let clock: NetKitClock
    }

    @TaskLocal static var current: Value?
}
