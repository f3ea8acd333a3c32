import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The long-lived sessions of a transport, and queues for work that must not run on a session's own queue.
///
/// Tasks are made, resumed and cancelled on these queues, because all of that waits for the session's own queue. All
/// sessions of a process share that one, and a transfer that receives continuously keeps it busy.
final class SessionEngine: Sendable {
    let gate: ConnectionGate
    /// The header names that the session's configuration adds, in lower case.
    let additionalHeaders: Set<String>
    private let session: SessionLane
    /// The session for requests that need a new connection; it closes each connection after one request.
    private let closing: Locked<SessionLane?> = Locked(nil)
    /// With two queues, 64 callers make 7% more calls than with one: an exchange waits twice until it has started.
    private let queues = [0, 1].map { DispatchQueue(label: "netkit.urlsession.\($0)") }

    init(configuration: URLSessionConfiguration) {
        // A copy, so that the caller's configuration does not change.
        let configuration = (configuration.copy() as? URLSessionConfiguration) ?? .ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        #if canImport(FoundationNetworking)
            gate = ConnectionGate(width: configuration.httpMaximumConnectionsPerHost)
        #else
            // On Apple platforms, the wait for a connection does not count, and many exchanges share one.
            gate = ConnectionGate(width: .max)
        #endif
        let names = (configuration.httpAdditionalHeaders ?? [:]).keys.compactMap { $0 as? String }
        additionalHeaders = Set(names.map { $0.lowercased() })
        session = SessionLane(configuration)
    }

    /// Runs work of an exchange outside the session's queue, after all of its work that was passed earlier.
    func perform(for ticket: ConnectionGate.Ticket, _ work: @escaping @Sendable () -> Void) {
        queues[ticket.number & 1].async(execute: work)
    }

    /// Creates the task of an exchange; must not be called on the session's queue.
    func makeTask(
        _ request: URLRequest,
        for exchange: URLSessionExchange,
        onOwnConnection isAlone: Bool
    ) -> URLSessionTask {
        var request = request
        #if canImport(FoundationNetworking)
            request.httpBodyStream = exchange.makeBodyStream()
        #endif
        return (isAlone ? closingLane : session).makeTask(request, for: exchange)
    }

    private var closingLane: SessionLane {
        closing.withLock { kept in
            let lane = kept ?? session.another()
            kept = lane
            return lane
        }
    }
}

/// A queue that calls the session's delegate at once, on the session's own queue.
///
/// On Linux, every event of an exchange would otherwise pass through an `Operation` and another thread. With three
/// events for a small response, that costs more than the rest of the exchange. Code that runs here must not wait, and
/// must not call a function of a task that waits for the session's queue, such as `cancel()` and `resume()`.
///
/// `@unchecked Sendable` like its Foundation superclass, whose own lock guards its state; this class adds no state.
final class InlineOperationQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}

/// A session with a delegate of its own, because the numbers of tasks are unique only within a session.
final class SessionLane: Sendable {
    private let session: URLSession
    private let delegate = SessionDelegate()

    init(_ configuration: URLSessionConfiguration) {
        #if canImport(FoundationNetworking)
            let queue: OperationQueue? = InlineOperationQueue()
        #else
            let queue: OperationQueue? = nil
        #endif
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Returns another lane with the same configuration.
    func another() -> SessionLane { SessionLane(session.configuration) }

    /// Creates the task of an exchange, and reports the events of the task to the exchange.
    func makeTask(_ request: URLRequest, for exchange: URLSessionExchange) -> URLSessionTask {
        let task = session.dataTask(with: request)
        delegate.add(exchange, for: task)
        return task
    }
}
