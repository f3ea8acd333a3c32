/// The events of a server, over as many connections as necessary.
///
/// A connection that ends or fails is made again within the retry policy, with `Last-Event-ID`. Each connection that
/// begins a stream is the first attempt of a new count. The first wait is the time that the server has sent with
/// `retry`, if there is one, from 100 ms up to the policy's `maxServerDelay`. A `break` ends the exchange.
///
/// All connections of an iterator are made under the login of the first one. After a logout or the login of another
/// user, the stream ends with `.unauthorized` instead of another connection.
public struct EventStream: AsyncSequence, Sendable {
    /// The type of errors: `NetKitError` or `CancellationError`.
    public typealias Failure = any Error

    /// Begins to read; a closure, so that a stream is small.
    let begin: @Sendable () -> Reading

    /// Creates an iterator, which makes its own connections.
    public func makeAsyncIterator() -> Iterator { Iterator(reading: begin()) }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        let reading: Reading

        /// Returns the next event; `nil` if the server has responded that there are no more.
        public mutating func next() async throws -> ServerSentEvent? { try await reading.next() }
    }

    /// The state of an iterator, an object so that the iterator is small.
    final class Reading {
        private let sender: any RequestSending
        private let request: HTTPRequest
        private let settings: PayloadSettings
        private let accepted: AcceptedStatuses
        private let options: CallOptions
        private let retry: RetryPolicy
        private var parser: EventStreamParser
        private var chunks: ResponseBody.Iterator?
        /// The body of the current connection.
        private var body: ResponseBody?
        /// The complete events in reverse order.
        private var ready: [ServerSentEvent] = []
        /// The error to throw after the complete events.
        private var failure: (any Error)?
        /// The number of attempts since a stream last began, including the attempt that began it.
        private var attempts = 0
        /// The delay before the last attempt.
        private var previousDelay: Duration?
        /// The deadline of the whole stream, from its first connection on; `nil` if the options set none.
        private var deadline: InheritedDeadline.Value?
        private var isOver = false

        init(
            sender: any RequestSending,
            request: HTTPRequest,
            settings: PayloadSettings,
            accepted: AcceptedStatuses,
            options: CallOptions,
            retry: RetryPolicy,
            parser: EventStreamParser
        ) {
            (self.sender, self.request, self.settings) = (sender, request, settings)
            (self.accepted, self.retry, self.parser) = (accepted, retry, parser)
            // All connections and pauses have one identifier and one identity, as a single call has.
            var options = options.inSequence()
            options.id = options.id ?? CallID()
            self.options = options
        }

        func next() async throws -> ServerSentEvent? {
            while true {
                if let event = ready.popLast() { return event }
                guard !isOver else { return nil }
                do {
                    try await advance()
                } catch {
                    chunks = nil
                    isOver = true
                    guard let known = error as? NetKitError, let delay = delay(after: known) else {
                        throw body?.translated(error) ?? error
                    }
                    previousDelay = delay
                    try await settings.pause(for: delay, after: known, of: request, id: options.id)
                    isOver = false
                }
            }
        }

        /// Reads one piece, over a new connection if there is none.
        private func advance() async throws {
            if let failure {
                self.failure = nil
                throw failure
            }
            if chunks == nil { try await connect() }
            guard !isOver, var chunks else { return }
            guard let chunk = try await chunks.next() else {
                self.chunks = nil
                throw NetKitError(.connectionLost, "The server ended the stream of events.", outcome: .answered)
            }
            self.chunks = chunks
            do {
                defer { ready = parser.takeEvents().reversed() }
                try parser.parse(chunk)
            } catch {
                body?.discard()
                guard !ready.isEmpty else { throw error }
                // The events before the error are valid.
                failure = error
            }
        }

        private func connect() async throws {
            if attempts == 0 { beginDeadline() }
            attempts += 1
            parser.restart()
            var request = request
            if !parser.lastEventID.isEmpty { request.headers["Last-Event-ID"] = parser.lastEventID }
            body = nil
            let (sent, sentOptions, sender, deadline) = (request, options, sender, deadline)
            let response = try await settings.response(accepting: accepted) {
                try await InheritedDeadline.inheriting(deadline) { try await sender.send(sent, options: sentOptions) }
            }
            body = response.body
            guard response.status != .noContent else {
                response.body.discard()
                isOver = true
                return
            }
            try Self.checkContentType(of: response)
            chunks = response.body.makeAsyncIterator()
            attempts = 1
        }

        private static func checkContentType(of response: HTTPResponse) throws {
            let type = MediaType(of: response.headers)?.name
            guard type != "text/event-stream" else { return }
            response.body.discard()
            let found = NetKitError.oneLine(type ?? "none", limit: 60)
            let message = "The response is not an event stream: its content type is \(found)."
            throw NetKitError(.decoding, message, outcome: .answered)
        }

        private func beginDeadline() {
            let clock = settings.clock
            deadline = CallLimit.shortest(timeout: options.timeout, total: options.timeouts?.total)
                .map { InheritedDeadline.Value($0, from: clock.now, on: clock) }
        }

        /// Returns the delay before the next connection; `nil` if there is none.
        private func delay(after error: NetKitError) -> Duration? {
            retry.delay(
                afterInterruption: error,
                attempt: attempts,
                previous: previousDelay,
                reconnectionTime: parser.reconnectionTime,
                settings: settings,
                deadline: deadline
            )
        }
    }
}

/// An iterator must not be shared between tasks.
@available(*, unavailable)
extension EventStream.Iterator: Sendable {}
