import Synchronization

/// One exchange of a call: its number, its deadline, and how far it has come.
///
/// A transport reports how far it has come, so that a failure, a timeout or a cancellation can honestly say whether the
/// server may have acted on the request.
public final class Attempt: Sendable {
    /// Which exchange of the call this is, from 1; 0 before the first.
    public let number: Int
    /// When the exchange has to be over, the call's own deadline included.
    public let deadline: NetKitClock.Instant?

    private let progress = Atomic<Int>(0)
    /// Whether the request may have left once already: an interceptor behind `.limit` that calls `next` again stays in
    /// the same exchange.
    private let mayHaveLeft = Atomic<Bool>(false)
    private let sentBytes = Atomic<Int64>(0)

    private let updates: TransferUpdates?
    /// The name that is being resolved; most exchanges use a connection that stands already.
    private let resolving = Locked<String?>(nil)
    private let isOver = Atomic<Bool>(false)
    /// A Boolean value that indicates whether the error of the exchange shows that nothing was sent.
    private let isUnsent = Atomic<Bool>(false)

    init(number: Int, deadline: NetKitClock.Instant?, updates: TransferUpdates? = nil) {
        self.number = number
        self.updates = updates
        self.deadline = deadline
    }

    private enum Progress {
        static let waiting = 0
        static let handedOver = 1
        static let connecting = 2
        static let sending = 3
        static let answered = 4
    }

    /// A transport says: I am making a connection, and will say when the request leaves.
    ///
    /// A transport that never says so is assumed to have sent the request as soon as it got it.
    public func noteConnecting() {
        progress.store(Progress.connecting, ordering: .relaxed)
    }

    /// The name that has to be resolved before there can be a connection; `nil` once that is over.
    func noteResolving(_ name: String?) {
        resolving.withLock { $0 = name }
    }

    /// The exchange has ended, and the call may go on.
    func noteOver() {
        isOver.store(true, ordering: .relaxed)
    }

    /// The current step of an exchange.
    enum Activity {
        case waiting
        case resolving(String)
        case connecting
        case sending
        case receiving
        case over
    }

    var activity: Activity {
        if isOver.load(ordering: .relaxed) { return .over }
        switch progress.load(ordering: .relaxed) {
        case Progress.waiting: return .waiting
        case Progress.connecting: return resolving.withLock { $0 }.map { .resolving($0) } ?? .connecting
        case Progress.answered: return .receiving
        default: return .sending
        }
    }

    /// A transport says: from now on bytes of the request may have left.
    public func noteSending() {
        progress.store(Progress.sending, ordering: .relaxed)
    }

    /// A transport says: so many more bytes of the request's body were handed to the network.
    public func noteSent(_ byteCount: Int64) {
        sentBytes.wrappingAdd(byteCount, ordering: .relaxed)
        updates?.note(byteCount)
    }

    /// How many bytes of the request's body were handed to the network, as far as the transport tells.
    public var sentByteCount: Int64 { sentBytes.load(ordering: .relaxed) }

    /// A transport says: the head of the answer is here.
    public func noteAnswered() {
        progress.store(Progress.answered, ordering: .relaxed)
    }

    /// What the exchange ended with says that nothing left, whatever the transport reported or did not.
    func noteNotSent() {
        if progress.load(ordering: .relaxed) != Progress.answered {
            isUnsent.store(true, ordering: .relaxed)
        }
    }

    func noteHandedOver() {
        if outcome != .notSent { mayHaveLeft.store(true, ordering: .relaxed) }
        isUnsent.store(false, ordering: .relaxed)
        progress.store(Progress.handedOver, ordering: .relaxed)
    }

    /// What can be said about an exchange that ends now without an answer.
    public var outcome: NetKitError.Outcome {
        let progress = progress.load(ordering: .relaxed)
        let isUnsent = isUnsent.load(ordering: .relaxed) && progress != Progress.answered
        return switch isUnsent ? Progress.waiting : progress {
        case Progress.waiting, Progress.connecting: mayHaveLeft.load(ordering: .relaxed) ? .unknown : .notSent
        case Progress.answered: .answered
        default: .unknown
        }
    }

    /// What an exchange that has used up its time ends with.
    func timeout(after limit: Duration, cause: (any Error)? = nil) -> NetKitError {
        NetKitError(
            .timeout,
            "The exchange took longer than \(limit.shortText). Raise `timeouts.attempt`, or stream the body.",
            outcome: outcome,
            cause: cause,
            timeoutPhase: .attempt
        )
    }
}
