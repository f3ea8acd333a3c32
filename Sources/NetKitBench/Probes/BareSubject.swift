import Foundation
import NetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A subject with Foundation's session alone.
final class BareSubject: ProbeSubject {
    private let session = URLSession(configuration: .ephemeral)

    func send(_ request: ProbeRequest) async throws -> ProbeResponse {
        try await send(request, over: session)
    }

    private func send(_ request: ProbeRequest, over session: URLSession) async throws -> ProbeResponse {
        var converted = URLRequest(url: request.url)
        converted.httpMethod = request.method
        for (name, value) in request.headers { converted.setValue(value, forHTTPHeaderField: name) }
        if let idle = request.idleLimit { converted.timeoutInterval = idle.seconds }
        switch request.body {
        case .file(let file):
            let (data, response) = try await session.upload(for: converted, fromFile: file)
            return try Self.response(data, response)
        case .stream(let data): converted.httpBodyStream = InputStream(data: data)
        case .data(let data): converted.httpBody = data
        case nil: break
        }
        let (data, response) = try await session.data(for: converted)
        return try Self.response(data, response)
    }

    func readSlowly(_ url: URL, pause: Duration) async throws -> Int {
        let run = DelegateRun(onFirstChunk: { _ in Thread.sleep(forTimeInterval: pause.seconds) })
        return try await run.result(of: url).byteCount
    }

    func suspendAndResume(_ url: URL) async throws -> Int {
        let run = DelegateRun(onFirstChunk: { task in
            task.suspend()
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { task.resume() }
        })
        return try await run.result(of: url).byteCount
    }

    func refuseRedirect(_ url: URL) async throws -> ProbeResponse {
        try await DelegateRun().result(of: url)
    }

    func refuseChallenge(_ url: URL) async throws -> String {
        let run = DelegateRun()
        do {
            return try await run.result(of: url).words
        } catch {
            let before = run.partialResponse
            return "\(before.map { "\($0.words), then " } ?? "")\(ErrorText.short(error))"
        }
    }

    func get(_ url: URL, wholeLimit: Duration) async throws -> ProbeResponse {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = wholeLimit.seconds
        return try await send(ProbeRequest("GET", url), over: URLSession(configuration: configuration))
    }

    private static func response(_ data: Data, _ response: URLResponse) throws -> ProbeResponse {
        guard let head = response as? HTTPURLResponse else { throw UnexpectedResponse("no HTTP response") }
        return ProbeResponse(
            status: head.statusCode,
            byteCount: data.count,
            values: { name in head.value(forHTTPHeaderField: name).map { [$0] } ?? [] }
        )
    }
}

/// A data task with a delegate that refuses redirects and challenges, counts bytes and keeps none.
private final class DelegateRun: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var head: HTTPURLResponse?
        var byteCount = 0
        var continuation: CheckedContinuation<ProbeResponse, any Error>?
    }

    private let onFirstChunk: @Sendable (URLSessionTask) -> Void
    private let state = Locked(State())

    init(onFirstChunk: @escaping @Sendable (URLSessionTask) -> Void = { _ in }) {
        self.onFirstChunk = onFirstChunk
    }

    /// The response so far, if its head has arrived.
    var partialResponse: ProbeResponse? {
        state.withLock { state in
            state.head.map { ProbeResponse(status: $0.statusCode, byteCount: state.byteCount) }
        }
    }

    func result(of url: URL) async throws -> ProbeResponse {
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        return try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.continuation = continuation }
            session.dataTask(with: url).resume()
        }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        state.withLock { $0.head = response as? HTTPURLResponse }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isFirst = state.withLock { state in
            defer { state.byteCount += data.count }
            return state.byteCount == 0
        }
        if isFirst { onFirstChunk(dataTask) }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let continuation = state.withLock { exchange(&$0.continuation, with: nil) }
        if let error {
            continuation?.resume(throwing: error)
        } else if let partialResponse {
            continuation?.resume(returning: partialResponse)
        } else {
            continuation?.resume(throwing: UnexpectedResponse("no HTTP response"))
        }
    }
}
