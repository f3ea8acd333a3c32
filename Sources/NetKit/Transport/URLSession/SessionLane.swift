import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
