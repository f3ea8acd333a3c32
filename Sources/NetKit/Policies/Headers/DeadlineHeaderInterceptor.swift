/// Sends the remaining time to the server, so that it can stop work whose result would be too late.
///
/// ```swift
/// DeadlineHeaderInterceptor()                                    // X-Request-Timeout-Ms: 2750
/// DeadlineHeaderInterceptor(name: "grpc-timeout", format: .grpc) // grpc-timeout: 2750000u
/// ```
/// Every attempt sends the time until the call's deadline or the attempt's limit, whichever comes first. If neither is
/// set, there is no field. On your server, pass the time to ``withDeadline(_:clock:_:)``, and the server's own calls
/// inherit it.
public struct DeadlineHeaderInterceptor: InspectableInterceptor, CallBound {
    /// The text form of a duration.
    public struct Format: Sendable {
        let write: @Sendable (Duration) -> String

        /// Creates a format from a closure, which gets a duration of zero or more.
        public init(_ write: @escaping @Sendable (Duration) -> String) { self.write = write }

        /// Whole milliseconds, rounded down.
        public static let milliseconds = Format { "\(max(0, $0.clampedNanoseconds) / 1_000_000)" }

        /// Seconds with three decimals, rounded down.
        public static let seconds = Format { duration in
            let milliseconds = max(0, duration.clampedNanoseconds) / 1_000_000
            return "\(milliseconds / 1000).\(String(milliseconds % 1000).zeroPadded(to: 3))"
        }

        /// The form of gRPC: at most eight digits and a unit, the finest that fits.
        public static let grpc = Format { duration in
            let nanoseconds = max(0, duration.clampedNanoseconds)
            let units: [(name: String, length: Int64)] = [
                ("n", 1), ("u", 1000), ("m", 1_000_000), ("S", 1_000_000_000), ("M", 60_000_000_000),
            ]
            let unit = units.first { nanoseconds / $0.length < 100_000_000 } ?? ("H", 3_600_000_000_000)
            return "\(nanoseconds / unit.length)\(unit.name)"
        }
    }

    /// The name of the field.
    public let name: String
    /// The text form of the time.
    public let format: Format

    /// Creates an interceptor for a field.
    public init(name: String = "X-Request-Timeout-Ms", format: Format = .milliseconds) {
        self.name = name
        self.format = format
    }

    /// The attempt stage, because every attempt sends the time that is left then.
    public var stage: Stage { .attempt }

    /// The effect of the interceptor, with the field's name.
    public var summary: String { "tells the server in \(name) how much time is left" }

    /// Sends the request with the time left.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        guard let timeLeft = context.timeLeft else { return try await next(request, context) }
        return try await next(adding(timeLeft, to: request), context)
    }

    @inline(never)
    private func adding(_ timeLeft: Duration, to request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.headers[name] = format.write(max(.zero, timeLeft))
        return request
    }
}
