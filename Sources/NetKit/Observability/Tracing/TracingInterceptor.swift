/// Creates a span for every call and attempt, and sends the trace context to servers.
///
/// ```swift
/// let spans = OTLPSpanExporter(serviceName: "shop")
/// let client = HTTPClient(baseURL: base, interceptors: .standard + [TracingInterceptor(spans)])
/// …
/// await client.shutdown()
/// await spans.shutdown()
/// ```
/// The parent of a call is the span in the request's `traceparent`, or else `TraceContext.current`. Without either, the
/// call begins a new trace. Each attempt is a child span of the call, and the server receives its identifier. Without
/// an exporter, existing traces are propagated unchanged, and nothing is recorded.
///
/// The calls that a `TokenStore` makes to refresh its token are child spans of the call that began the refresh. They
/// can end after it. A call that only waits for the token has no part in them.
public struct TracingInterceptor: InspectableInterceptor, CallBound, FactsReading {
    let exporter: (any SpanExporter)?
    /// The fraction of new traces that are recorded.
    ///
    /// A trace that began elsewhere keeps its own decision.
    public let samplingRatio: Double
    private let notes: [String]

    /// Creates an interceptor that records spans.
    ///
    /// - Parameters:
    ///   - exporter: The destination of the spans.
    ///   - samplingRatio: The fraction of new traces that are recorded, 0 to 1.
    public init(_ exporter: some SpanExporter, samplingRatio: Double = 1) {
        var check = SettingCheck()
        self.exporter = exporter
        self.samplingRatio = check.number("samplingRatio", samplingRatio, in: 0...1, or: 1)
        notes = check.notes
    }

    /// Creates an interceptor that only propagates existing traces.
    public init() { (exporter, samplingRatio, notes) = (nil, 0, []) }

    /// The `.observe` stage, so that a call's span covers the whole call.
    public var stage: Stage { .observe }

    /// A description of the exporter and the sampling.
    public var summary: String {
        guard let exporter else { return "traces passed on" }
        return
            "spans of calls and attempts to \(type(of: exporter)), \(Int((samplingRatio * 100).rounded()))% of new traces"
    }

    /// Returns diagnostics about a clamped fraction and about a second tracing interceptor.
    public func warnings(in client: ClientInspection) -> [String] {
        notes.map { "tracing: \($0)" }
            + client.warnings(ifRepeated: Self.self, "Every call would have two spans. Keep one.")
    }

    /// The interceptors for the spans of calls and of attempts.
    public var parts: [any Interceptor] { [self, AttemptTracing(exporter: exporter)] }

    /// Forwards the request as part of its trace.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        let parent = TraceContext(request.headers) ?? TraceContext.current
        let own = exporter == nil ? parent : parent?.child(random: context.random) ?? newTrace(context.random)
        return try await TraceContext.$current.withValue(own) {
            guard let exporter, let own, own.isSampled else { return try await next(request, context) }
            let recorder = SpanRecorder(.internal, own, parent: parent?.spanID, request, context, exporter)
            return try await recorder.follow { try await next(request, context) }
        }
    }

    private func newTrace(_ random: RandomSource) -> TraceContext {
        TraceContext(isSampled: samplingRatio >= 1 || random.unitInterval() < samplingRatio, random: random)
    }
}

/// The spans of attempts, at the `.wire` stage.
struct AttemptTracing: InspectableInterceptor, CallBound {
    let exporter: (any SpanExporter)?

    var stage: Stage { .wire }
    var summary: String { "sends the trace context to the server" }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        guard let parent = TraceContext.current else { return try await next(request, context) }
        // Without an exporter, no span of this attempt is recorded, so it cannot be the parent of the server's.
        let own = exporter == nil ? parent : parent.child(random: context.random)
        var request = request
        own.inject(into: &request.headers)
        guard let exporter, own.isSampled else { return try await next(request, context) }
        let (recorder, sent) = (SpanRecorder(.client, own, parent: parent.spanID, request, context, exporter), request)
        return try await recorder.follow { try await next(sent, context) }
    }
}
