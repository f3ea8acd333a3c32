public import Foundation

/// The body of a response: an asynchronous sequence of chunks that is read once.
///
/// ```swift
/// for try await chunk in response.body { … }          // as it arrives, with backpressure
/// for try await line in response.body.lines { … }
/// let report = try await response.body.collect(upTo: 10 << 20)
/// try await response.body.save(to: file)
/// ```
/// A second read throws `.bodyConsumed`. If a body is not read, or its reader stops early, the transfer ends.
public struct ResponseBody: AsyncSequence, Sendable {
    /// The type of errors: `NetKitError` or `CancellationError`.
    public typealias Failure = any Error

    private(set) var state: BodyState

    /// Creates a body of bytes in memory.
    public init(_ data: Data, trailers: HTTPHeaders? = nil) {
        state = BodyState(data, trailers: trailers)
    }

    /// Creates an unread body with the bytes of another one, which are all in memory.
    init(rereading other: ResponseBody, _ data: Data) {
        state = BodyState(rereading: other.state, data)
    }

    /// Creates a body that is read from a source as it arrives.
    public init(length: Int64? = nil, source: some ResponseBodySource) {
        state = BodyState(source, length: length)
    }

    /// Creates a body from a sequence of chunks, which is read in a task that ends with the body.
    public init<Chunks: AsyncSequence & Sendable>(length: Int64? = nil, chunks: Chunks) where Chunks.Element == Data {
        self.init(length: length, source: SequenceSource(DataChunks(base: chunks, outcome: .answered)))
    }

    /// A body without bytes.
    public static var empty: ResponseBody { ResponseBody(Data()) }

    /// The number of bytes, if it is known before reading.
    public var length: Int64? { state.length }

    /// The bytes, if they are all in memory; the body is not read.
    public var buffered: Data? { state.buffered }

    /// The fields that came after the body; `nil` until the body has ended.
    public var trailers: HTTPHeaders? { state.trailers }

    /// Whether a reader has begun to read the body, or it was discarded.
    public var isConsumed: Bool { state.isTaken }

    /// Replaces this body with an unread one that has the same bytes, all of them in memory.
    ///
    /// A body that has no copies and is unread stays as it is.
    mutating func becomeUnread(_ data: Data) {
        guard !isKnownUniquelyReferenced(&state) || !state.isUntouched else { return }
        state = BodyState(data, trailers: trailers)
    }

    /// Starts the only read.
    public func makeAsyncIterator() -> Iterator { Iterator(reading: BodyReading(state)) }

    /// Ends the body without reading it, and frees its resources.
    public func discard() {
        _ = state.take()
        state.cancel(CancellationError(), isAbandoned: true)
    }

    /// Ends the body as `discard` does, unless it is being read already.
    func discardUnlessRead() {
        if state.take() { state.cancel(CancellationError(), isAbandoned: true) }
    }

    /// Calls an action once when the body ends: read to its end, failed, or abandoned.
    ///
    /// For a buffered body, the action is called at once.
    public func onEnd(_ action: @escaping @Sendable (BodyEnd) -> Void) { state.onEnd(action) }

    /// Returns a body with the same bytes, which replaces this one and reads ahead into memory, up to a limit.
    ///
    /// A body that is read to its end no longer holds a connection or a permit. `onLimit` is called if there are more
    /// bytes than the limit before there is a reader, possibly several times.
    func readingAhead(upTo limit: Int, onLimit: @escaping @Sendable () -> Void) -> ResponseBody {
        let source = SequenceSource(self, maxBytes: limit, trailers: { trailers }, onFull: onLimit)
        return ResponseBody(length: length, source: source)
    }

    /// Ends the body from outside; its reader gets the reason.
    func cancel(_ reason: any Error) { state.cancel(reason, isAbandoned: false) }

    /// Returns a function that ends the body as `cancel` does, without keeping it alive: an unread body ends by itself.
    func weakCanceller() -> @Sendable (any Error) -> Void {
        { [weak state] reason in state?.cancel(reason, isAbandoned: false) }
    }

    /// Passes every error that reading throws through a function first.
    ///
    /// If a coder is given, `json` uses it.
    func mapErrors(json: JSONCoder? = nil, _ transform: @escaping @Sendable (any Error) -> any Error) {
        state.mapErrors(json: json, transform)
    }

    /// Returns an error about this response, with the request line and the attempts of the call.
    func translated(_ error: any Error) -> any Error { state.translate(error) }

    /// An iterator over the chunks, which is the only read of the body.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reading: BodyReading

        /// Returns the next chunk; `nil` at the end.
        public mutating func next() async throws -> Data? { try await reading.next() }
    }
}

/// The end of a body.
public struct BodyEnd: Sendable {
    /// The number of bytes that were read.
    public let byteCount: Int64
    /// The error that ended the body early, if there was one.
    public let error: (any Error)?
    /// Whether its reader stopped before the end.
    public let isAbandoned: Bool

    /// Whether every byte was read.
    public var isComplete: Bool { error == nil && !isAbandoned }
}

/// The owner of one read: if it is released before the end, the transfer ends.
private final class BodyReading: Sendable {
    private let state: BodyState
    private let isFirst: Bool

    init(_ state: BodyState) {
        self.state = state
        isFirst = state.take()
    }

    deinit {
        if isFirst { state.cancel(CancellationError(), isAbandoned: true) }
    }

    func next() async throws -> Data? {
        guard isFirst else {
            let message = "The body was already read; store the result of the first read, or call `collect` once."
            throw NetKitError(.bodyConsumed, message, outcome: .answered)
        }
        return try await state.next()
    }
}

/// An iterator must not be shared between tasks.
@available(*, unavailable)
extension ResponseBody.Iterator: Sendable {}
