import Foundation
import NetKit

/// The bytes that cases send, and the forms they come in.
extension ConformanceCase {
    /// 0, 1, … 250, and again: no power of two, so that a shift shows.
    static func pattern(_ count: Int) -> Data {
        let unit = Data(0...250)
        var data = Data(capacity: count + unit.count)
        while data.count < count { data.append(unit) }
        return data.prefix(count)
    }

    /// Data in pieces of a size.
    static func pieces(of data: Data, _ size: Int) -> [Data] {
        stride(from: 0, to: data.count, by: size).map { Data(data.dropFirst($0).prefix(size)) }
    }

    /// A sequence of chunks.
    static func chunks(_ chunks: [Data]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
    }

    /// A sequence of chunks that fails behind them.
    static func failingChunks(_ chunks: [Data]) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish(throwing: StreamFailure())
        }
    }

    /// What `failingChunks` throws.
    struct StreamFailure: Error {}
}
