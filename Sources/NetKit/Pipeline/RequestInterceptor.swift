public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// An interceptor that changes requests only, in Foundation's type.
///
/// ```swift
/// struct Stamp: RequestInterceptor {
///     func intercept(_ request: URLRequest) async throws -> URLRequest {
///         var request = request
///         request.setValue("1", forHTTPHeaderField: "X-Stamp")
///         return request
///     }
/// }
/// ```
/// Repeated fields and the body of a file or a stream, which a `URLRequest` cannot express, stay as they are unless the
/// interceptor changes that field or sets a body.
public protocol RequestInterceptor: Interceptor {
    /// Returns the request to send.
    func intercept(_ request: URLRequest) async throws -> URLRequest
}

extension RequestInterceptor {
    /// Passes on the request that the method for a `URLRequest` returns.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await next(prepare(request), context)
    }

    func prepare(_ request: HTTPRequest) async throws -> HTTPRequest {
        let original = request.urlRequest()
        let changed = try await intercept(original)
        return try request.merging(changed, original: original)
    }
}

/// An interceptor that changes responses only, in Foundation's types.
///
/// ```swift
/// struct Unwrap: ResponseInterceptor {
///     func intercept(_ response: HTTPURLResponse, data: Data) async throws -> Data { … }
/// }
/// ```
/// It needs the whole body, so it works with buffered calls only; a streamed call throws `.invalidRequest`. It does not
/// see the responses to replays of an ``OfflineQueue``, which pass it unchanged.
public protocol ResponseInterceptor: Interceptor {
    /// Returns the body for the caller.
    func intercept(_ response: HTTPURLResponse, data: Data) async throws -> Data
}

extension ResponseInterceptor {
    /// Passes the request on, and replaces the body of the response by that of the method for an `HTTPURLResponse`.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await changedResponse(to: request, context, next)
    }

    func changedResponse(
        to request: HTTPRequest,
        _ context: RequestContext,
        _ next: Next
    ) async throws -> HTTPResponse {
        // A replay has no caller that reads the body, and must not fail because the body is too large.
        if context.call.isReplay { return try await next(request, context) }
        guard !context.delivery.isStreamed else {
            let name = String(describing: type(of: self))
            let hint = "Adopt Interceptor instead of ResponseInterceptor, or use a buffered delivery."
            throw NetKitError(.invalidRequest, "\(name) needs the whole body, but this call streams it. \(hint)")
        }
        let received = try await next(request, context)
        let limit = context.delivery.maxBufferedBytes(of: received.status) ?? .max
        let response = try await received.buffered(upTo: limit)
        let data = try await intercept(response.urlResponse(for: request.url), data: response.body.buffered ?? Data())
        guard data.count <= limit else { throw ResponseBody.tooLarge(limit, declared: Int64(data.count)) }
        var changed = response
        changed.body = ResponseBody(data, trailers: response.trailers)
        return changed
    }
}

extension RequestInterceptor where Self: ResponseInterceptor {
    /// Changes the request and the response with the two methods for Foundation's types.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await changedResponse(to: prepare(request), context, next)
    }
}
