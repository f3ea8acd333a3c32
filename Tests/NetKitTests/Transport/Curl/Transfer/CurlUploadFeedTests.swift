#if canImport(Glibc) || canImport(Musl)
    import Foundation
    import Testing

    @testable import NetKit

    @Suite(.timeLimit(.minutes(5)))
    struct CurlUploadFeedTests {
        /// A user's stream that has nothing to give, and is slow to be cancelled.
        private struct Held: AsyncSequence, AsyncIteratorProtocol, Sendable {
            typealias Element = Data

            let handler: SlowHandler

            func makeAsyncIterator() -> Held { self }

            mutating func next() async throws -> Data? {
                try await handler.wait()
                return nil
            }
        }

        /// It is stopped on the thread of all transfers.
        @Test func isStoppedWithoutWaitingForTheStream() async throws {
            let handler = SlowHandler()
            let feed = CurlUploadFeed(.stream(Held(handler: handler)))
            feed.start {}
            try await waitUntil { handler.waitingCount == 1 }
            feed.stop()
            handler.release(1)
            try await waitUntil { handler.endings.count == 1 }
            #expect(handler.endings.entries == [true])
        }
    }
#endif
