/// The deadline that calls inherit from the task they are made in.
package enum InheritedDeadline {
    package struct Value: Sendable {
        let instant: NetKitClock.Instant
        let clock: NetKitClock
    }

    @TaskLocal package static var current: Value?
}
