/// How the body of an answer reaches the caller; every stage knows it.
public struct Delivery: Hashable, Sendable, CustomStringConvertible {
    /// How many bytes are collected at most; nil where the body is streamed.
    public let bufferLimit: Int?

    /// The whole body in memory before the call returns; more than the bound is `.bodyTooLarge`.
    ///
    /// A body that fails on the way fails the attempt, and can be retried.
    public static func buffered(upTo limit: Int) -> Delivery { Delivery(bufferLimit: max(0, limit)) }

    /// The body as it arrives, read by the caller with backpressure.
    public static let streamed = Delivery(bufferLimit: nil)

    /// Whether the body is streamed.
    public var isStreamed: Bool { bufferLimit == nil }

    /// The delivery in words.
    public var description: String {
        bufferLimit.map { "buffered up to \($0) bytes" } ?? "streamed"
    }
}
