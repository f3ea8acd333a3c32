/// An interceptor or a transport that ends with its call by itself.
///
/// A call runs in its caller's task. Code that may wait for something of its own runs in a task beside it, which is cancelled
/// when the call is cancelled or its deadline passes. Adopt this protocol to save that task, if the type waits for nothing but
/// `next`, or only inside ``RequestContext/endingWithCall(_:)``:
///
/// ```swift
/// struct Timing: Interceptor, EndsWithCall {
///     func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
///         let start = context.clock.now
///         defer { record(start.duration(to: context.clock.now)) }
///         return try await next(request, context)
///     }
/// }
/// ```
/// A call waits past its deadline for a type that adopts it and waits for something else.
public protocol EndsWithCall {}
