import Foundation
import Testing

@testable import NetKit

struct SharedBodyTests {
    /// A writer that fails while something else happens.
    private final class FailingWriter: CacheWriter {
        let meanwhile = Shared<(@Sendable () -> Void)?>(nil)

        func append(_ chunk: Data) async throws {
            meanwhile.withLock { $0 }?()
            throw CancellationError()
        }

        func commit() async throws -> Bool { false }
        func abort() {}
    }

    @Test(arguments: [false, true])
    func storingEndsOnceIfTheStoreFails(whileCancelled isCancelled: Bool) async throws {
        let pipe = BodyPipe()
        pipe.offer(Data([1]))
        let writer = FailingWriter()
        let ends = Shared<[SharedBody.End]>([])
        let body = SharedBody(ResponseBody(length: nil, source: pipe), writer: writer, sharing: nil) { end in
            ends.withLock { $0.append(end) }
        }
        if isCancelled { writer.meanwhile.withLock { $0 = { body.cancel(CancellationError()) } } }
        let chunk = try? await body.next()
        writer.meanwhile.withLock { $0 = nil }
        #expect(chunk == (isCancelled ? nil : Data([1])))
        #expect(ends.withLock { $0 } == [isCancelled ? .abandoned : .storeFailed])
    }
}
