/// The way in which the body of a response reaches the caller.
public struct Delivery: Hashable, Sendable, CustomStringConvertible {
    /// The maximum number of bytes that are collected; `nil` if the body is streamed.
    public let maxBufferedBytes: Int?

    /// Returns the delivery of the whole body in memory, before the call returns.
    ///
    /// A larger body is an error, `.bodyTooLarge`. If the body fails on the way, the attempt fails and can be retried.
    public static func buffered(upTo limit: Int) -> Delivery { Delivery(maxBufferedBytes: max(0, limit)) }

    /// The delivery of the body as it arrives, at the pace of its reader.
    public static let streamed = Delivery(maxBufferedBytes: nil)

    /// Whether the body is streamed.
    public var isStreamed: Bool { maxBufferedBytes == nil }

    /// A description of the delivery.
    public var description: String {
        maxBufferedBytes.map { "buffered up to \($0) bytes" } ?? "streamed"
    }
}
