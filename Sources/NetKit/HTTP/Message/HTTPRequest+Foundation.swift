import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension HTTPRequest {
    /// Creates a request from a `URLRequest`: method, URL, header fields and body.
    ///
    /// Its `timeoutInterval` is not part of a request here; `HTTPClient.data(for:)` reads it as the idle limit. Its
    /// other properties have no effect, such as `cachePolicy`; use ``CallOptions/cachePolicy``.
    public init(_ request: URLRequest) throws {
        guard let url = request.url else { throw NetKitError(.invalidURL, "The URLRequest has no URL.") }
        self.init(HTTPMethod(request.httpMethod ?? "GET"), url)
        let fields = (request.allHTTPHeaderFields ?? [:]).orderedByKey
        headers = HTTPHeaders(fields.map { .init($0.key, $0.value) })
        if let data = request.httpBody {
            body = .data(data)
        } else if let stream = request.httpBodyStream {
            let declared = headers["Content-Length"].flatMap(Int64.init)
            body = .stream(length: declared, InputStreamChunks(stream))
        }
    }

    /// Returns the request as a `URLRequest`.
    ///
    /// Repeated fields are joined by `, `, and those of `Cookie` by `; `. A body that is a file or a stream is left
    /// out: `URLRequest` cannot express it.
    public func urlRequest() -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        for field in headers.fields where request.value(forHTTPHeaderField: field.name) == nil {
            request.setValue(headers[field.name], forHTTPHeaderField: field.name)
        }
        request.httpBody = body?.bytes
        return request
    }
}

/// The bytes of an `InputStream` in chunks.
///
/// A stream may block its thread until there are bytes. Tasks share a few threads, so it is read on a queue.
///
/// `@unchecked Sendable` because the serial queue is the only owner of the stream.
final class InputStreamChunks: AsyncSequence, @unchecked Sendable {
    typealias Element = Data
    typealias Failure = any Error

    private let queue = DispatchQueue(label: "netkit.stream")
    private let stream: InputStream

    init(_ stream: InputStream) { self.stream = stream }

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    struct Iterator: AsyncIteratorProtocol {
        let chunks: InputStreamChunks

        mutating func next() async throws -> Data? {
            try await chunks.queue.run { [chunks] in try chunks.read() }
        }
    }

    private func read() throws -> Data? {
        if stream.streamStatus == .notOpen { stream.open() }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = stream.read(&buffer, maxLength: buffer.count)
        if count > 0 { return Data(buffer[..<count]) }
        stream.close()
        guard count == 0 else {
            let reason = stream.streamError.map { "\($0)" } ?? "unknown reason"
            throw NetKitError(.file, "The body stream could not be read: \(reason).", outcome: .unknown)
        }
        return nil
    }
}
