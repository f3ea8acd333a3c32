import Foundation

/// A span exporter that sends spans to an OpenTelemetry collector, as OTLP JSON over HTTP.
///
/// ```swift
/// let spans = OTLPSpanExporter(serviceName: "shop")
/// ```
/// Spans are sent when a batch is full or the interval has passed, by a separate client that is not traced itself. If
/// the collector is down or too slow, spans beyond the queue's size are dropped and counted; calls neither wait nor
/// fail. Call `shutdown(within:)` to send the remaining spans.
public final class OTLPSpanExporter: SpanExporter {
    /// The configuration of an OTLP exporter.
    public struct Configuration: Sendable {
        /// The maximum number of queued spans.
        public var maxQueueSize = 2048
        /// The maximum number of spans in a batch.
        public var maxBatchSize = 512
        /// The longest time that a span waits for its batch to fill.
        public var interval = Duration.seconds(5)
        /// The longest time that sending a batch may take, including retries.
        ///
        /// The default replaces a value that is not above zero.
        public var timeout = Duration.seconds(10)

        /// Creates the default configuration.
        public init() {}
    }

    private struct State: ~Copyable {
        var spans: [Span] = []
        var droppedCount = 0
        var sending: Task<Void, Never>?
        var alarm: ClockAlarm?
        var isClosed = false
        /// Whether a shutdown has given up spans.
        var hasGivenUp = false
        /// The waits until no spans are left.
        var waiting: [Promise<Bool>] = []
    }

    private let client: any RequestSending
    private let endpoint: URL
    private let headers: HTTPHeaders
    private let resource: String
    private let configuration: Configuration
    private let clock: NetKitClock
    private let state = Locked(State())

    init(
        client: any RequestSending,
        serviceName: String,
        endpoint: URL?,
        headers: HTTPHeaders,
        resource: [String: String],
        configuration: Configuration,
        clock: NetKitClock
    ) {
        self.client = client
        self.endpoint = endpoint ?? URL(string: "http://localhost:4318/v1/traces") ?? URL(fileURLWithPath: "/")
        self.headers = headers
        var configuration = configuration
        configuration.maxBatchSize = max(1, configuration.maxBatchSize)
        if configuration.timeout <= .zero { configuration.timeout = Configuration().timeout }
        configuration.maxQueueSize = max(configuration.maxBatchSize, configuration.maxQueueSize)
        self.configuration = configuration
        self.clock = clock
        var attributes = resource.mapValues { LogValue.text($0) }
        attributes["service.name"] = .text(serviceName)
        self.resource = OTLPText.attributes(attributes)
    }

    deinit {
        let (sending, alarm) = state.withLock { ($0.sending, $0.alarm) }
        sending?.cancel()
        alarm?.cancel()
    }

    /// The number of spans that were dropped, could not be delivered, or were rejected by the collector.
    public var droppedCount: Int { state.withLock { $0.droppedCount } }

    /// Queues a span.
    public func export(_ span: Span) {
        let (isFull, isFirst) = state.withLock { state in
            guard !state.isClosed, state.spans.count < configuration.maxQueueSize else {
                state.droppedCount += 1
                return (false, false)
            }
            state.spans.append(span)
            let isFree = state.sending == nil
            return (isFree && state.spans.count >= configuration.maxBatchSize, isFree && state.alarm == nil)
        }
        if isFull { send() } else if isFirst { setAlarm() }
    }

    /// Sends the queued spans and accepts no more.
    ///
    /// A batch that is being sent at the end of the time is given up. It has another second to end, and is then counted
    /// in `droppedCount`.
    ///
    /// - Parameter bound: The longest time that sending may take.
    /// - Returns: Whether all spans were processed in time.
    @discardableResult
    public func shutdown(within bound: Duration = .seconds(5)) async -> Bool {
        state.withLock { $0.isClosed = true }
        let isSent = await flush(within: bound)
        let (sending, alarm) = state.withLock { state in
            state.droppedCount += state.spans.count
            state.spans = []
            if !isSent { state.hasGivenUp = true }
            return (state.sending, state.alarm)
        }
        alarm?.cancel()
        if let sending {
            sending.cancel()
            _ = await idleness()?.value(or: false, after: Self.endingBound, onSystemOr: clock)
        }
        return isSent
    }

    /// The time that a batch has to end after it was given up.
    private static var endingBound: Duration { .seconds(1) }

    /// Sends the queued spans.
    ///
    /// - Parameter bound: The longest time that this may take.
    /// - Returns: Whether all spans were processed in time.
    @discardableResult
    public func flush(within bound: Duration = .seconds(5)) async -> Bool {
        if let idle = idleness() {
            send()
            guard await idle.value(or: false, after: bound, clock) else { return false }
        }
        // A shutdown with a shorter bound may have given up those that this function waited for.
        return state.withLock { !$0.hasGivenUp }
    }

    /// Returns a promise that ends once no spans are left; `nil` if none are.
    private func idleness() -> Promise<Bool>? {
        state.withLock { state -> Promise<Bool>? in
            if state.spans.isEmpty && state.sending == nil { return nil }
            let idle = Promise<Bool>()
            state.waiting.append(idle)
            return idle
        }
    }

    private func setAlarm() {
        let alarm = clock.scheduleWakeUp(at: clock.now.advanced(by: configuration.interval)) { [weak self] in
            self?.send()
        }
        let isLate = state.withLock { state in
            // An alarm that has fired already would keep the next spans from setting one.
            guard state.alarm == nil, !state.isClosed, alarm.isPending else { return true }
            state.alarm = alarm
            return false
        }
        if isLate { alarm.cancel() }
    }

    /// Starts sending, unless it is already running.
    private func send() {
        let executor = SimulatedExecution.current
        let alarm = state.withLock { state in
            defer { state.alarm = nil }
            guard state.sending == nil else { return state.alarm }
            // The exporter owns the task and cancels it when released; the deadline and the trace of the call
            // that filled the batch must not apply to it.
            state.sending = Task.detached(executorPreference: executor, priority: .utility) { [weak self] in
                while let batch = self?.takeBatch() { await self?.post(batch) }
            }
            return state.alarm
        }
        alarm?.cancel()
    }

    /// Returns the next batch.
    ///
    /// If nothing is left, it ends the waits and returns `nil`.
    private func takeBatch() -> [Span]? {
        let (batch, waiting) = state.withLock { state -> ([Span]?, [Promise<Bool>]) in
            guard !state.spans.isEmpty else {
                state.sending = nil
                return (nil, exchange(&state.waiting, with: []))
            }
            let batch = Array(state.spans.prefix(configuration.maxBatchSize))
            state.spans.removeFirst(batch.count)
            return (batch, [])
        }
        for promise in waiting { promise.resolve(.success(true)) }
        return batch
    }

    private static var maxResponseBytes: Int { 64 << 10 }

    private func post(_ batch: [Span]) async {
        var headers = headers
        headers["Content-Type"] = "application/json"
        let body = HTTPBody.text(OTLPText.document(batch, resource: resource))
        let options = CallOptions(timeout: configuration.timeout, delivery: .buffered(upTo: Self.maxResponseBytes))
        let response = try? await client.send(
            HTTPRequest(.post, endpoint, headers: headers, body: body),
            options: options
        )
        var lost = batch.count
        // After a redirect that turned the POST into a GET, the response is that of a page, such as for a login.
        if let response, response.status.isSuccess,
            response.history.allSatisfy({ RedirectHop.method(after: .post, status: $0.status) == .post })
        {
            let text = try? await response.body.collect(upTo: Self.maxResponseBytes)
            lost = min(batch.count, OTLPText.rejectedCount(in: text ?? Data()))
        }
        if lost > 0 { state.withLock { $0.droppedCount += lost } }
    }
}

/// Encoding of spans as OTLP JSON, which has hexadecimal identifiers and 64-bit integers as strings.
enum OTLPText {
    static func document(_ spans: [Span], resource: String) -> String {
        let list = spans.map(text).joined(separator: ",")
        return "{\"resourceSpans\":[{\"resource\":{\"attributes\":\(resource)},"
            + "\"scopeSpans\":[{\"scope\":{\"name\":\"NetKit\"},\"spans\":[\(list)]}]}]}"
    }

    /// Returns the number of spans that a collector has not taken, by its response.
    static func rejectedCount(in response: Data) -> Int {
        let count = (try? JSONValue(parsing: response))?["partialSuccess"]?["rejectedSpans"]
        return max(0, count?.int ?? count?.string.flatMap { Int($0) } ?? 0)
    }

    static func attributes(_ values: [String: LogValue]) -> String {
        let list = values.map { name, value in "{\"key\":\(LogText.json(name)),\"value\":\(text(value))}" }
        return "[\(list.joined(separator: ","))]"
    }

    private static func text(_ value: LogValue) -> String {
        switch value.storage {
        case .text(let text): "{\"stringValue\":\(LogText.json(text))}"
        case .integer(let number): "{\"intValue\":\"\(number)\"}"
        case .decimal(let number): "{\"doubleValue\":\(number.isFinite ? number : 0)}"
        }
    }

    private static func text(_ span: Span) -> String {
        var parts = ["\"traceId\":\"\(span.context.traceID)\"", "\"spanId\":\"\(span.context.spanID)\""]
        if let parent = span.parentID { parts.append("\"parentSpanId\":\"\(parent)\"") }
        if !span.context.state.isEmpty {
            parts.append("\"traceState\":\(LogText.json(span.context.state.description))")
        }
        parts += [
            "\"name\":\(LogText.json(span.name))", "\"kind\":\(span.kind.code)",
            "\"startTimeUnixNano\":\"\(nanoseconds(span.start))\"", "\"endTimeUnixNano\":\"\(nanoseconds(span.end))\"",
            "\"attributes\":\(attributes(span.attributes))",
        ]
        if !span.events.isEmpty {
            let events = span.events.map {
                "{\"timeUnixNano\":\"\(nanoseconds($0.date))\",\"name\":\(LogText.json($0.name))}"
            }
            parts.append("\"events\":[\(events.joined(separator: ","))]")
        }
        if let errorType = span.errorType {
            parts.append("\"status\":{\"code\":2,\"message\":\(LogText.json(errorType))}")
        }
        return "{\(parts.joined(separator: ","))}"
    }

    private static func nanoseconds(_ date: Date) -> UInt64 {
        let seconds = max(0, date.timeIntervalSince1970)
        return UInt64(exactly: (seconds * 1e9).rounded()) ?? 0
    }
}

extension OTLPSpanExporter: CustomReflectable {
    /// A mirror with the secrets of the endpoint masked, for `dump` and test reports.
    public var customMirror: Mirror {
        Mirror(self, children: ["endpoint": Redaction.standard.redacted(endpoint), "configuration": configuration])
    }
}
