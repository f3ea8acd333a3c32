import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension HTTPRequest {
    /// Makes a request from a `URLRequest`: method, URL, header fields and body.
    ///
    /// Its `timeoutInterval` is not part of a request here; `HTTPClient.data(for:)` reads it as the idle limit.
    public init(_ request: URLRequest) throws {
        guard let url = request.url else { throw NetKitError(.invalidURL, "The URLRequest has no URL.") }
        self.init(HTTPMethod(request.httpMethod ?? "GET"), url)
        let fields = (request.allHTTPHeaderFields ?? [:]).orderedByKey
        headers = HTTPHeaders(fields.map { .init($0.key, $0.value) })
        if let data = request.httpBody {
            body = .data(data)
        } else if let stream = request.httpBodyStream {
            let declared = headers["Content-Length"].flatMap(Int64.init)
            body = .stream(length: declared, InputStreamChunks(stream))
        }
    }

    /// The request as Foundation writes it.
    ///
    /// Repeated fields are joined by `, `. A body that is a file or a stream is left out: `URLRequest` cannot express it.
    public func urlRequest() -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        for field in headers.fields where request.value(forHTTPHeaderField: field.name) == nil {
            request.setValue(headers[field.name], forHTTPHeaderField: field.name)
        }
        request.httpBody = body?.bytes
        return request
    }
}
