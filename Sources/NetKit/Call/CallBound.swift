/// An interceptor or a transport that ends with its call by itself.
///
/// A call runs in its caller's task. Code that may wait for anything else runs in a separate task, which is cancelled
/// when the call is cancelled or its deadline passes. Adopt this protocol to avoid that task, if the type waits for
/// nothing but `next`, or only inside ``RequestContext/endingWithCall(_:)``:
///
/// ```swift
/// struct Timing: Interceptor, CallBound {
///     let record: @Sendable (Duration) -> Void
///
///     func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
///         let start = context.clock.now
///         defer { record(start.duration(to: context.clock.now)) }
///         return try await next(request, context)
///     }
/// }
/// ```
/// If a type adopts the protocol but waits for something else, its calls can outlast their deadlines.
public protocol CallBound {}
