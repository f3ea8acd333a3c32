import Foundation
import NetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client with Foundation's session alone, as its documentation shows it.
final class BareClient: BenchClient {
    let session = URLSession(configuration: .ephemeral)

    deinit { session.finishTasksAndInvalidate() }

    func get(_ url: URL) async throws -> Int {
        let (data, response) = try await session.data(for: URLRequest(url: url))
        try Self.check(response)
        return data.count
    }

    func upload(_ source: UploadSource, to url: URL) async throws {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        let (_, response) =
            switch source {
            case .file(let file, _): try await session.upload(for: request, fromFile: file)
            case .data(let data): try await session.upload(for: request, from: data)
            }
        try Self.check(response)
    }

    func download(_ url: URL, _ way: DownloadWay) async throws -> Int {
        if way == .buffered { return try await get(url) }
        return try await CountingDownload().run(url)
    }

    fileprivate static func check(_ response: URLResponse) throws {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else { throw UnexpectedResponse("status \(status)") }
    }
}

/// A download with a delegate that counts the bytes and keeps none, the only way to stream with a session.
private final class CountingDownload: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var count = 0
        var continuation: CheckedContinuation<Int, any Error>?
    }

    private let state = Locked(State())

    func run(_ url: URL) async throws -> Int {
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        return try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.continuation = continuation }
            session.dataTask(with: url).resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.count += data.count }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (count, continuation) = state.withLock { state in
            defer { state.continuation = nil }
            return (state.count, state.continuation)
        }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume(returning: count) }
    }
}
