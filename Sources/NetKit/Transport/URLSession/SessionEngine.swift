import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The long-lived session of a transport, and a queue for what must not run on the session's own.
///
/// Tasks are cancelled there: `cancel()` waits for the session's queue, and the delegate is called on it.
final class SessionEngine: Sendable {
    let gate: ConnectionGate
    /// The header names that the session's configuration adds, in lower case.
    let additionalHeaders: Set<String>
    private let session: URLSession
    private let delegate = SessionDelegate()
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
        #if canImport(FoundationNetworking)
            let queue: OperationQueue? = InlineOperationQueue()
        #else
            let queue: OperationQueue? = nil
        #endif
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Runs something away from the session's queue, after everything that was handed over before.
    func perform(_ work: @escaping @Sendable () -> Void) {
        control.async(execute: work)
    }

    /// Makes the task of an exchange; never on the session's queue.
    func makeTask(_ request: URLRequest, for exchange: URLSessionExchange) -> URLSessionTask {
        var request = request
        #if canImport(FoundationNetworking)
            request.httpBodyStream = exchange.makeBodyStream()
        #endif
        let task = session.dataTask(with: request)
        delegate.add(exchange, for: task)
        return task
    }
}
