import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPRequest {
    /// Returns the request with the differences between two `URLRequest`s; everything that they cannot express is kept.
    func merging(_ changed: URLRequest, original: URLRequest) throws -> HTTPRequest {
        var merged = self
        guard let url = changed.url else {
            throw NetKitError(.invalidURL, "An interceptor removed the URL of the request.")
        }
        if url != original.url { merged.url = url }
        if let name = changed.httpMethod, name != original.httpMethod { merged.method = HTTPMethod(name) }
        for name in Set(headers.fields.map(\.name))
        where original.value(forHTTPHeaderField: name) != nil && changed.value(forHTTPHeaderField: name) == nil {
            merged.headers.remove(name)
        }
        for (name, value) in (changed.allHTTPHeaderFields ?? [:]).orderedByKey
        where original.value(forHTTPHeaderField: name) != value {
            merged.headers[name] = value
        }
        if let stream = changed.httpBodyStream {
            merged.body = .stream(
                length: merged.headers["Content-Length"].flatMap(Int64.init),
                InputStreamChunks(stream)
            )
        } else if changed.httpBody != original.httpBody {
            merged.body = changed.httpBody.map { .data($0, contentType: body?.contentType) }
        }
        return merged
    }
}
