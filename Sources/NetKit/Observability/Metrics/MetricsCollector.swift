/// Collects metrics of a client: calls, retries, and the durations of exchanges by endpoint.
///
/// ```swift
/// let metrics = MetricsCollector()
/// let client = HTTPClient(baseURL: base, interceptors: .standard + [metrics])
/// print(metrics.snapshot().percentile(0.99) ?? .zero, metrics.snapshot().prometheusText)
/// ```
/// Several clients can share one collector. Memory is bounded: exchanges beyond the maximum number of series are
/// counted in one overflow series.
public final class MetricsCollector: InspectableInterceptor, EventListening {
    /// The maximum number of series, not counting the overflow series.
    public let maxSeries: Int

    private struct State: ~Copyable {
        var metrics = NetworkMetrics()
        var series: [NetworkMetrics.Series.Key: DurationRecord] = [:]
    }

    /// The added sources, in order; a reading returns `nil` once its source is gone.
    private struct Sources {
        var lastNumber = 0
        var readings: [(number: Int, read: @Sendable () async -> [MetricSample]?)] = []
    }

    private let state = Locked(State())
    private let sources = Locked(Sources())
    private let notes: [String]

    /// The maximum number of counters.
    private static let maxCounters = 64

    /// Creates a collector.
    ///
    /// - Parameter maxSeries: The maximum number of series, 1 to 10,000. Each takes about a kilobyte.
    public init(maxSeries: Int = 200) {
        var check = SettingCheck()
        self.maxSeries = check.count("maxSeries", maxSeries, in: 1...10_000)
        notes = check.notes
    }

    /// The `.observe` stage, which is the outermost.
    public var stage: Stage { .observe }

    /// A description of the limit.
    public var summary: String { "metrics: at most \(maxSeries) series" }

    /// An empty list, because the collector listens to events instead of intercepting requests.
    public var parts: [any Interceptor] { [] }

    /// Returns diagnostics about a clamped limit, and about a collector that is in the list twice.
    public func warnings(in client: ClientInspection) -> [String] {
        notes.map { "metrics: \($0)" } + client.warnings(ifRepeated: self, "Every event would be counted each time.")
    }

    /// Forwards the request.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await next(request, context)
    }

    /// Records a request that was made without this client.
    ///
    /// - Parameters:
    ///   - success: Whether the request succeeded.
    ///   - duration: The duration of the request.
    ///   - didRetry: Whether the request was retried.
    public func recordRequest(success: Bool, duration: Duration, didRetry: Bool = false) {
        state.withLock { state in
            Self.count(isSuccess: success, duration, in: &state.metrics)
            if didRetry { state.metrics.retryCount += 1 }
        }
    }

    /// Returns the current counts.
    public func snapshot() -> NetworkMetrics {
        let (metrics, series) = state.withLock { ($0.metrics, $0.series) }
        var snapshot = metrics
        snapshot.series = series.map { NetworkMetrics.Series(key: $0.key, record: $0.value) }
        return snapshot
    }

    /// Adds the metrics of another object, such as an offline queue, to those that `collect()` reads.
    ///
    /// ```swift
    /// metrics.add(queue, labels: ["queue": "orders"])
    /// ```
    /// The collector does not retain the object. Its metrics end with it.
    ///
    /// - Parameters:
    ///   - source: The object.
    ///   - labels: The labels that tell its metrics from those of other objects.
    public func add(_ source: some MetricSource, labels: [String: String] = [:]) {
        let read: @Sendable () async -> [MetricSample]? = { [weak source] in
            guard let source else { return nil }
            return await source.metricSamples().map { sample in
                var sample = sample
                sample.labels.merge(labels) { own, _ in own }
                return sample
            }
        }
        sources.withLock { sources in
            sources.lastNumber += 1
            sources.readings.append((sources.lastNumber, read))
        }
    }

    /// Returns the current counts, and the current metrics of the added objects.
    ///
    /// The objects are read one after the other. Those that read a database do so every few seconds at most.
    public func collect() async -> NetworkMetrics {
        var samples: [MetricSample] = []
        for (number, read) in sources.withLock({ $0.readings }) {
            if let found = await read() {
                samples += found
            } else {
                sources.withLock { $0.readings.removeAll { $0.number == number } }
            }
        }
        var metrics = snapshot()
        metrics.samples = samples
        return metrics
    }

    /// Resets all counts.
    ///
    /// Calls in flight are still counted when they end.
    public func reset() {
        state.withLock { state in
            let active = state.metrics.activeRequests
            state = State()
            state.metrics.activeRequests = active
        }
    }

    func receive(_ event: ClientEvent) {
        switch event.kind {
        case .callStarted: state.withLock { $0.metrics.activeRequests += 1 }
        case .callEnded:
            let isSuccess = event.error == nil && (event.status?.code ?? 0) < 400
            state.withLock { state in
                state.metrics.activeRequests -= 1
                Self.count(isSuccess: isSuccess, event.duration ?? .zero, in: &state.metrics)
            }
        case .attemptEnded: note(event)
        case .cache: count(event.kind, as: event.error == nil ? Self.use(ofCache: event.detail ?? "") : "failure")
        case .refreshEnded: count(event.kind, as: event.error == nil ? "success" : "failure")
        case .breaker, .limit, .queue: count(event.kind, as: event.label ?? "other")
        default: break
        }
    }

    func noteRetryBegan() { state.withLock { $0.metrics.retryCount += 1 } }

    private func note(_ event: ClientEvent) {
        let key = NetworkMetrics.Series.Key(
            method: event.method?.telemetryName ?? "",
            origin: event.origin,
            template: event.template,
            result: Self.result(of: event)
        )
        let (duration, limit) = (event.duration ?? .zero, maxSeries)
        state.withLock { state in
            let hasRoom = state.series.count < limit || state.series[key] != nil
            let place = hasRoom ? key : NetworkMetrics.Series.Key(isOverflow: true)
            state.series[place, default: DurationRecord()].add(duration)
        }
    }

    private func count(_ kind: ClientEvent.Kind, as label: String) {
        state.withLock { state in
            let key = NetworkMetrics.Count(kind: kind, label: label)
            guard state.metrics.counts.count < Self.maxCounters || state.metrics.counts[key] != nil else { return }
            state.metrics.counts[key, default: 0] += 1
        }
    }

    private static func count(isSuccess: Bool, _ duration: Duration, in metrics: inout NetworkMetrics) {
        if isSuccess { metrics.successfulRequests += 1 } else { metrics.failedRequests += 1 }
        metrics.calls.add(duration)
    }

    private static func result(of event: ClientEvent) -> String {
        if event.error is CancellationError { return "cancelled" }
        if let error = event.error as? NetKitError { return error.code.description }
        return event.status.map { String($0.code) } ?? "other"
    }

    /// Returns the label for the value of `Cache-Status`.
    private static func use(ofCache status: String) -> String {
        // Only a stored response has a time left. It may also replace one of a server that failed.
        if status.contains("; ttl=") { return status.contains("; fwd-status=304") ? "revalidated" : "hit" }
        return status.contains("fwd=bypass") || status.contains("fwd=method") ? "bypass" : "miss"
    }
}
