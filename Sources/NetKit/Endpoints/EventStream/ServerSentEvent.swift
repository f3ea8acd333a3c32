import Foundation

/// One event of a `text/event-stream`, as defined by the HTML standard.
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of the event; `message` if the server names none.
    public var type: String
    /// The text of the event, its lines joined by LF.
    public var data: String
    /// The id that this event set, if it set one.
    public var id: String?
    /// The current id of the stream, which a reconnection sends as `Last-Event-ID`.
    public var lastEventID: String
    /// The time to wait before a reconnection, if this event set one.
    public var retry: Duration?

    /// Creates an event.
    public init(
        type: String = "message",
        data: String,
        id: String? = nil,
        lastEventID: String = "",
        retry: Duration? = nil
    ) {
        (self.type, self.data, self.id, self.lastEventID, self.retry) = (type, data, id, lastEventID, retry)
    }

    /// Decodes the event's data as JSON.
    ///
    /// - Returns: The value.
    /// - Throws: `.decoding`, with the place of the problem.
    public func decode<Value: Decodable>(as type: Value.Type = Value.self, coder: JSONCoder = .standard) throws -> Value
    {
        try coder.value(type, of: Data(data.utf8))
    }
}
