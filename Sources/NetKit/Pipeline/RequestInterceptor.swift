public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// An interceptor that only touches requests, in Foundation's own type.
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
/// What a `URLRequest` cannot express (repeated fields, a body that is a file or a stream) is kept as it was unless the
/// interceptor changes that field or sets a body.
public protocol RequestInterceptor: Interceptor {
    /// Gives the request to send.
    func intercept(_ request: URLRequest) async throws -> URLRequest
}

extension RequestInterceptor {
    /// Passes on what the simple form gives.
    public func intercept(
        _ request: HTTPRequest,
        context: RequestContext,
        next: Next
    ) async throws -> HTTPResponse {
        try await next(prepare(request), context)
    }

    func prepare(_ request: HTTPRequest) async throws -> HTTPRequest {
        let original = request.urlRequest()
        let changed = try await intercept(original)
        return try request.merging(changed, original: original)
    }
}

/// An interceptor that only touches answers, in Foundation's own types.
///
/// ```swift
/// struct Unwrap: ResponseInterceptor {
///     func intercept(_ response: HTTPURLResponse, data: Data) async throws -> Data { … }
/// }
/// ```
/// It needs the whole body and so runs on buffered calls, within their bound; a streamed call throws `.invalidRequest`.
public protocol ResponseInterceptor: Interceptor {
    /// Gives the body that the caller is to see.
    func intercept(_ response: HTTPURLResponse, data: Data) async throws -> Data
}

extension ResponseInterceptor {
    /// Passes the request on and hands the answer to the simple form.
    public func intercept(
        _ request: HTTPRequest,
        context: RequestContext,
        next: Next
    ) async throws -> HTTPResponse {
        try await didReceive(next, request, context)
    }

    func didReceive(_ next: Next, _ request: HTTPRequest, _ context: RequestContext) async throws -> HTTPResponse {
        guard let limit = context.delivery.bufferLimit else {
            let name = String(describing: type(of: self))
            let hint = "Make it an Interceptor, or ask for a buffered delivery."
            throw NetKitError(.invalidRequest, "\(name) needs the whole body, but this call streams it. \(hint)")
        }
        let response = try await next(request, context).buffered(upTo: limit)
        let data = try await intercept(response.urlResponse(for: request.url), data: response.body.buffered ?? Data())
        guard data.count <= limit else { throw ResponseBody.tooLarge(limit, declared: Int64(data.count)) }
        var changed = response
        changed.body = ResponseBody(data, trailers: response.trailers)
        return changed
    }
}

extension RequestInterceptor where Self: ResponseInterceptor {
    /// Does both: the simple form on the request on the way out, the other on the answer on the way back.
    public func intercept(
        _ request: HTTPRequest,
        context: RequestContext,
        next: Next
    ) async throws -> HTTPResponse {
        try await didReceive(next, prepare(request), context)
    }
}
