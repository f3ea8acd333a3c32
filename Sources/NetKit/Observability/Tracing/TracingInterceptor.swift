import Foundation

/// Makes a span of every call and of each of its attempts, and tells servers which trace they are part of.
///
/// ```swift
/// let spans = OTLPSpanExporter(serviceName: "shop")
/// let client = HTTPClient(baseURL: base, interceptors: .standard + [TracingInterceptor(spans)])
/// …
/// await client.shutdown()
/// await spans.shutdown()
/// ```
/// A call belongs to the span that its request's `traceparent` names, else to `TraceContext.current`, else it begins a trace.
/// The attempts are parts of the call, and each has its own name, which is what the server gets. Without an exporter the
/// traces of others are passed on, and none are recorded.
public struct TracingInterceptor: InspectableInterceptor, EndsWithCall, FactsReading {
    let exporter: (any SpanExporter)?
    /// The share of traces that begin here and are recorded; those that others began go by what they decided.
    public let share: Double
    private let notes: [String]

    /// Makes an interceptor that records.
    ///
    /// - Parameters:
    ///   - exporter: What takes the spans.
    ///   - share: The share of traces beginning here that are recorded, 0 to 1.
    public init(_ exporter: some SpanExporter, share: Double = 1) {
        var check = SettingCheck()
        self.exporter = exporter
        self.share = check.number("share", share, in: 0...1, or: 1)
        notes = check.notes
    }

    /// Makes an interceptor that only passes traces on.
    public init() {
        (exporter, share, notes) = (nil, 0, [])
    }

    /// Outside everything: a call's span is as long as the call.
    public var stage: Stage { .observe }

    /// Where spans go.
    public var summary: String {
        guard let exporter else { return "traces passed on" }
        return "spans of calls and attempts to \(type(of: exporter)), \(Int((share * 100).rounded())) % of new traces"
    }

    /// Names a share that was moved into its range, and so where there is a second one.
    public func warnings(in client: ClientInspection) -> [String] {
        notes.map { "tracing: \($0)" } + client.warnings(ifRepeated: Self.self, "Each would make spans of its own.")
    }

    /// The spans of calls, and those of attempts beside the wire.
    public var parts: [any Interceptor] { [self, AttemptTracing(exporter: exporter)] }

    /// Passes the request on as a part of its trace.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        let parent = TraceContext(request.headers) ?? TraceContext.current
        // A trace that begins unrecorded would tell servers not to record it either.
        guard parent != nil || exporter != nil else { return try await next(request, context) }
        let random = context.random
        let own =
            parent?.child(random: random)
            ?? TraceContext(isSampled: share >= 1 || random.unitInterval() < share, random: random)
        return try await TraceContext.$current.withValue(own) {
            guard let exporter, own.isSampled else { return try await next(request, context) }
            let recorder = SpanRecorder(.internal, own, parent: parent?.spanID, request, context, exporter)
            return try await recorder.follow { try await next(request, context) }
        }
    }
}

/// The spans of attempts, right beside the wire.
struct AttemptTracing: InspectableInterceptor, EndsWithCall {
    let exporter: (any SpanExporter)?

    var stage: Stage { .wire }
    var summary: String { "tells the server its trace" }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        guard let parent = TraceContext.current else { return try await next(request, context) }
        let own = parent.child(random: context.random)
        var request = request
        own.inject(into: &request.headers)
        guard let exporter, own.isSampled else { return try await next(request, context) }
        let (recorder, sent) = (SpanRecorder(.client, own, parent: parent.spanID, request, context, exporter), request)
        return try await recorder.follow { try await next(sent, context) }
    }
}
