/// Has a call leave the line it waits in when it is ended from outside.
final class LineExit: CallCancellation.Waiter {
    private let leave: @Sendable (any Error) -> Void

    init(_ leave: @escaping @Sendable (any Error) -> Void) {
        self.leave = leave
    }

    func stop(_ reason: any Error) {
        leave(reason)
    }
}
