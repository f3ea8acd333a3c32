import Foundation
import NetKit

/// Cuts the first response after some bytes, as a lost connection does.
final class CuttingInterceptor: HeaderAdding {
    let stage = Stage.attempt
    let addedHeaderNames: Set<String> = []
    private let limit: Int
    private let hasCut = Locked(false)

    init(after limit: Int) {
        self.limit = limit
    }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        var response = try await next(request, context)
        let isFirst = hasCut.withLock { hasCut in
            defer { hasCut = true }
            return !hasCut
        }
        guard isFirst else { return response }
        response.body = ResponseBody(length: response.body.length, chunks: Cut(base: response.body, limit: limit))
        return response
    }

    private struct Cut: AsyncSequence, Sendable {
        let base: ResponseBody
        let limit: Int

        func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), left: limit) }

        struct Iterator: AsyncIteratorProtocol {
            var base: ResponseBody.Iterator
            var left: Int

            mutating func next() async throws -> Data? {
                guard left > 0 else {
                    throw NetKitError(.connectionLost, "The connection was cut.", outcome: .answered)
                }
                guard let chunk = try await base.next() else { return nil }
                let part = Data(chunk.prefix(left))
                left -= part.count
                return part
            }
        }
    }
}
