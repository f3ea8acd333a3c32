import Foundation

/// A sequence of chunks whose failure is forgotten, so that one that cannot fail and one that can are the same type.
struct DataChunks<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == Data {
    typealias Failure = any Error

    let base: Base

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator

        mutating func next() async throws -> Data? {
            try await base.next(isolation: nil)
        }
    }
}
