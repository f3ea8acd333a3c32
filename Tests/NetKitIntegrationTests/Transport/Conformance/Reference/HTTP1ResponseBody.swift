import Foundation
import NetKit

/// A body that is read from its connection as its reader asks for it.
final class HTTP1ResponseBody: ResponseBodySource {
    private let reader: HTTP1ResponseReader
    private let onEnd: Locked<(@Sendable (Bool) -> Void)?>
    private let ended = Locked<HTTPHeaders?>(nil)

    init(_ reader: HTTP1ResponseReader, onEnd: @escaping @Sendable (Bool) -> Void) {
        self.reader = reader
        self.onEnd = Locked(onEnd)
    }

    /// Returns the response in the requested delivery.
    func response(_ head: HTTP1ResponseReader.Head, delivery: Delivery) async throws -> HTTPResponse {
        let streamed = ResponseBody(length: head.length, source: self)
        if await reader.isOver { _ = try await next() }
        guard let limit = delivery.maxBufferedBytes else {
            return HTTPResponse(status: head.status, headers: head.headers, body: streamed)
        }
        let data = try await streamed.collect(upTo: limit)
        let buffered = ResponseBody(data, trailers: streamed.trailers)
        return HTTPResponse(status: head.status, headers: head.headers, body: buffered)
    }

    deinit { end(isClean: false) }

    var trailers: HTTPHeaders? { ended.withLock { $0 } }

    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            do {
                if let chunk = try await reader.nextChunk() { return chunk }
                let trailers = await reader.trailers
                ended.withLock { $0 = trailers ?? HTTPHeaders() }
                end(isClean: await reader.leavesConnectionClean)
                return nil
            } catch {
                end(isClean: false)
                throw (error as? NetKitError)?.with(outcome: .answered) ?? error
            }
        } onCancel: {
            end(isClean: false)
        }
    }

    func cancel(_ reason: any Error) { end(isClean: false) }

    private func end(isClean: Bool) {
        let action = onEnd.withLock { action in
            defer { action = nil }
            return action
        }
        action?(isClean)
    }
}
