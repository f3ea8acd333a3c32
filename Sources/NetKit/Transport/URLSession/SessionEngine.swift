import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The long-lived sessions of a transport, and a queue for what must not run on a session's own.
///
/// Tasks are cancelled there: `cancel()` waits for the session's queue, and the delegate is called on it.
final class SessionEngine: Sendable {
    let gate: ConnectionGate
    /// The header names that the session's configuration adds, in lower case.
    let additionalHeaders: Set<String>
    private let session: SessionLane
    /// For requests whose connection must be a new one: theirs are closed after each, so that there are none to use again.
    private let closing: Locked<SessionLane?> = Locked(nil)
    private let control = DispatchQueue(label: "netkit.urlsession.control")

    init(configuration: URLSessionConfiguration) {
        // A copy: the caller's own stays as it is.
        let configuration = (configuration.copy() as? URLSessionConfiguration) ?? .ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        #if canImport(FoundationNetworking)
            gate = ConnectionGate(width: configuration.httpMaximumConnectionsPerHost)
        #else
            // There the session does not count the wait for a connection, and shares one among many exchanges.
            gate = ConnectionGate(width: .max)
        #endif
        let names = (configuration.httpAdditionalHeaders ?? [:]).keys.compactMap { $0 as? String }
        additionalHeaders = Set(names.map { $0.lowercased() })
        session = SessionLane(configuration)
    }

    /// Runs something away from the session's queue, after everything that was handed over before.
    func perform(_ work: @escaping @Sendable () -> Void) {
        control.async(execute: work)
    }

    /// Makes the task of an exchange; never on the session's queue.
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

/// Calls the session's delegate at once, on the session's own queue.
///
/// On Linux every event of an exchange would otherwise pass through an `Operation` and another thread; with three events
/// for a small response that costs more than the rest of the exchange. What runs here must not wait, and must not call
/// anything on a task that waits for the session's queue: `cancel()` and `resume()` do.
///
/// `@unchecked Sendable`, as its Foundation superclass is, whose own lock guards what it has; this adds no state.
final class InlineOperationQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        block()
    }
}

/// A session with its delegate: tasks are numbered by their session, so each has a delegate of its own.
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

    /// Another one with the same configuration.
    func another() -> SessionLane { SessionLane(session.configuration) }

    /// Makes the task of an exchange, and has it told what happens to it.
    func makeTask(_ request: URLRequest, for exchange: URLSessionExchange) -> URLSessionTask {
        let task = session.dataTask(with: request)
        delegate.add(exchange, for: task)
        return task
    }
}
