import Foundation
import Synchronization

/// One exchange of a call: its number, its deadline, and its progress.
///
/// A transport reports the progress, so that an error can say whether the server may have acted on the request.
public final class Attempt: Sendable {
    /// The number of the exchange in the call, from 1; 0 before the first.
    public let number: Int
    /// The time at which the exchange's own limit expires; `nil` if it has none.
    ///
    /// ``RequestContext/timeLeft`` counts the call's deadline as well.
    public let deadline: NetKitClock.Instant?

    /// The time at which the exchange began.
    let start: NetKitClock.Instant
    /// The target of the exchange, which is another one than the call's after a redirect.
    let url: URL?
    private let progress = Atomic<Int>(0)
    /// Whether the request may already have been sent once.
    ///
    /// An interceptor after `.limit` that calls `next` again stays in the same exchange.
    private let mayHaveLeft = Atomic<Bool>(false)
    private let sentBytes = Atomic<Int64>(0)
    /// The size of the request's body; -1 if it is not known.
    private let bodyLength = Atomic<Int64>(0)

    private let updates: TransferUpdates?
    /// The name that is being resolved.
    private let resolving = Locked<String?>(nil)
    private let hasEnded = Atomic<Bool>(false)
    /// Whether the error of the exchange shows that nothing was sent.
    private let isUnsent = Atomic<Bool>(false)
    /// Whether the exchange has ended with a cancellation in a task that was not cancelled.
    private let isCancelled = Atomic<Bool>(false)

    init(
        number: Int,
        start: NetKitClock.Instant,
        deadline: NetKitClock.Instant?,
        url: URL? = nil,
        updates: TransferUpdates? = nil
    ) {
        self.number = number
        self.start = start
        self.url = url
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

    /// Reports that the transport is making a connection and will report when the request leaves.
    ///
    /// A transport that reports nothing is assumed to have sent the request.
    public func noteConnecting() { progress.store(Progress.connecting, ordering: .relaxed) }

    /// Reports the name that is being resolved; `nil` after it was resolved.
    func noteResolving(_ name: String?) {
        resolving.withLock { $0 = name }
    }

    /// Reports that the exchange has ended, although the call may continue.
    func noteOver() { hasEnded.store(true, ordering: .relaxed) }

    /// Whether the exchange has ended.
    var isOver: Bool { hasEnded.load(ordering: .relaxed) }

    /// Reports that the exchange has ended with a cancellation in a task that is not cancelled.
    func noteCancelled() { isCancelled.store(true, ordering: .relaxed) }

    /// Whether the exchange has ended with a cancellation that no task explains, as a mock may pretend.
    var wasCancelled: Bool { isCancelled.load(ordering: .relaxed) }

    /// Whether the exchange has ended, and its outcome cannot change any more.
    ///
    /// A transport that ignores its cancellation may still send.
    var isSettled: Bool { isOver && (outcome != .notSent || isUnsent.load(ordering: .relaxed)) }

    /// The current step of an exchange.
    enum Activity {
        case waiting
        case resolving(String)
        case connecting, sending
        /// The request has left.
        case awaiting
        /// The request is being sent or has left: the transport does not report which.
        case sendingOrAwaiting
        case receiving, over
    }

    var activity: Activity {
        if isOver { return .over }
        switch progress.load(ordering: .relaxed) {
        case Progress.waiting: return .waiting
        case Progress.connecting: return resolving.withLock { $0 }.map { .resolving($0) } ?? .connecting
        case Progress.answered: return .receiving
        default:
            let (sent, length) = (sentByteCount, bodyLength.load(ordering: .relaxed))
            guard length >= 0, sent > 0 || length == 0 else { return .sendingOrAwaiting }
            return sent < length ? .sending : .awaiting
        }
    }

    /// Reports that the transport may have begun to send the request.
    public func noteSending() { progress.store(Progress.sending, ordering: .relaxed) }

    /// Reports that more bytes of the request's body were handed to the network.
    public func noteSent(_ byteCount: Int64) {
        let sent = sentBytes.wrappingAdd(byteCount, ordering: .relaxed).newValue
        if let updates, !isOver { updates.note(sent: sent) }
    }

    /// Reports that the request's body is sent again, from an offset.
    func noteSentAgain(from offset: Int64) { sentBytes.store(offset, ordering: .relaxed) }

    /// The number of bytes of the request's body that the transport reported as handed to the network.
    public var sentByteCount: Int64 { sentBytes.load(ordering: .relaxed) }

    /// Reports that the head of the response has arrived.
    public func noteAnswered() { progress.store(Progress.answered, ordering: .relaxed) }

    /// Reports that, according to its error, the exchange sent nothing, regardless of the transport's reports.
    func noteNotSent() {
        if progress.load(ordering: .relaxed) != Progress.answered {
            isUnsent.store(true, ordering: .relaxed)
        }
    }

    /// Reports that the transport has the request, and the size of its body; `nil` if that is not known.
    func noteHandedOver(bodyLength length: Int64? = 0) {
        bodyLength.store(length ?? -1, ordering: .relaxed)
        if outcome != .notSent { mayHaveLeft.store(true, ordering: .relaxed) }
        // An interceptor may make several exchanges in one attempt.
        hasEnded.store(false, ordering: .relaxed)
        sentBytes.store(0, ordering: .relaxed)
        isUnsent.store(false, ordering: .relaxed)
        isCancelled.store(false, ordering: .relaxed)
        progress.store(Progress.handedOver, ordering: .relaxed)
    }

    /// Whether the server may have acted on the request, if the exchange ends now without a response.
    public var outcome: NetKitError.Outcome {
        let progress = progress.load(ordering: .relaxed)
        let isUnsent = isUnsent.load(ordering: .relaxed) && progress != Progress.answered
        return switch isUnsent ? Progress.waiting : progress {
        case Progress.waiting, Progress.connecting: mayHaveLeft.load(ordering: .relaxed) ? .unknown : .notSent
        case Progress.answered: .answered
        default: .unknown
        }
    }

    /// Returns the error of an exchange that has used up its time.
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

extension Attempt: CustomReflectable {
    /// A mirror without the URL, for `dump` and test reports.
    public var customMirror: Mirror { Mirror(self, children: ["number": number]) }
}
