import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A transport over Foundation's `URLSession`: one long-lived session without cookies, credentials or cache of its own.
///
/// Redirects and challenges are left to the pipeline. On Linux some faults of a peer end the process inside
/// FoundationNetworking, whatever is done from outside.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let delegate: SessionDelegate
    private let control = DispatchQueue(label: "netkit.urlsession.control")

    /// Makes a transport, from a configuration of yours if you have one.
    ///
    /// Its cookie, credential and cache storage are taken out: what they do is the pipeline's business here.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        delegate = SessionDelegate()
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// What it is, for `explain()`.
    public var summary: String { "URLSessionTransport" }

    /// Carries out one exchange.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        context.attempt.noteConnecting()
        let urlRequest = try await urlRequest(for: request, context: context)
        let exchange = URLSessionExchange(
            task: session.dataTask(with: urlRequest),
            control: control,
            context: context
        )
        delegate.add(exchange)
        return try await withTaskCancellationHandler {
            try await exchange.run()
        } onCancel: {
            exchange.cancel(CancellationError())
        }
    }

    private func urlRequest(for request: HTTPRequest, context: RequestContext) async throws -> URLRequest {
        var urlRequest = request.urlRequest()
        if let body = request.body, urlRequest.httpBody == nil {
            urlRequest.httpBody = try await Self.collect(body)
        }
        // Foundation counts in whole seconds here; the finer limits are the pipeline's.
        urlRequest.timeoutInterval = context.timeouts.idle.map { max(1, $0.inSeconds.rounded(.up)) } ?? 1e6
        return urlRequest
    }

    /// Files are mapped and not read; a stream has to fit in memory.
    private static func collect(_ body: HTTPBody) async throws -> Data {
        if let file = body.fileRange {
            let url = URL(fileURLWithPath: file.path)
            guard let mapped = try? Data(contentsOf: url, options: .alwaysMapped) else {
                throw NetKitError(.file, "\"\(file.path)\" cannot be read any more.")
            }
            let start = Int(clamping: file.offset)
            let end = Int(clamping: file.offset.addingSaturated(file.length ?? 0))
            guard start <= end, end <= mapped.count else {
                throw NetKitError(.file, "\"\(file.path)\" became shorter before it was sent.")
            }
            return mapped[start..<end]
        }
        var collected = Data()
        for try await chunk in body.chunks {
            guard collected.count + chunk.count <= 64 << 20 else {
                let hint = "Send a file instead."
                throw NetKitError(.unsupported, "URLSessionTransport sends body streams of at most 64 MiB. \(hint)")
            }
            collected.append(chunk)
        }
        return collected
    }
}
