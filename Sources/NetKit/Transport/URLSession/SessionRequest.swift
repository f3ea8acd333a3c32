import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request in the form that a session takes, which is sent unchanged and without fields of Foundation's own.
///
/// Foundation's own request is large, so it is created only when the exchange starts.
struct SessionRequest: ~Copyable, Sendable {
    let request: HTTPRequest
    let body: RequestBodySource?
    /// The header names that the session's configuration adds, in lower case.
    let additional: Set<String>

    /// The session's timeout, which never expires: NetKit's own clock is used, as Foundation counts whole seconds.
    ///
    /// The value is so large that FoundationNetworking never arms its timer. It creates the timer again for every line
    /// of a head, and each arming would wake another thread, fourteen times for a small response.
    private static let never: TimeInterval = 1e13

    /// Whether only a new connection keeps libcurl from repeating the request by itself, as it does if a reused
    /// connection closes before the response.
    ///
    /// Such a request must not be repeated, and has no body whose second read can be refused.
    var needsOwnConnection: Bool {
        #if canImport(FoundationNetworking)
            !request.isRepeatable && (body?.length ?? 0) == 0
        #else
            false
        #endif
    }

    /// Returns the request for the session; throws `.unsupported` if Foundation would change its method.
    func urlRequest() throws -> URLRequest {
        var urlRequest = request.urlRequest()
        // Foundation writes the methods that it knows in upper case.
        guard let method = urlRequest.httpMethod, method == request.method.rawValue else {
            let hint = "Write it in upper case, or send it over another transport."
            throw NetKitError(.unsupported, "URLSession cannot send the method \"\(request.method)\". \(hint)")
        }
        urlRequest.url = request.url.withoutUserInfo.withLowercaseScheme
        urlRequest.httpBody = nil
        urlRequest.timeoutInterval = Self.never
        urlRequest.cachePolicy = .reloadIgnoringLocalCacheData
        #if canImport(FoundationNetworking)
            frame(&urlRequest)
        #else
            urlRequest.httpBody = try bytes()
        #endif
        return urlRequest
    }

    #if canImport(FoundationNetworking)
        /// Adds the fields that keep FoundationNetworking and libcurl from adding their own.
        ///
        /// A value of one space passes through FoundationNetworking, and tells libcurl to omit the field. In this way,
        /// a stream gets a length: the `Transfer-Encoding: chunked` that would be added is omitted, and only
        /// `Content-Length` remains. The body has to be a stream, because only a stream is rewound when a reused
        /// connection turns out to be closed.
        private func frame(_ request: inout URLRequest) {
            // A value of the caller that is blank is sent as an empty one.
            for field in self.request.headers.fields {
                let value = request.value(forHTTPHeaderField: field.name) ?? ""
                if value.isHTTPBlank { request.setValue("", forHTTPHeaderField: field.name) }
            }
            // After a 417, libcurl would repeat the request by itself.
            request.setValue(" ", forHTTPHeaderField: "Expect")
            var unwanted = ["Accept-Language", "User-Agent"]
            if let body, body.length > 0 {
                unwanted += ["Content-Type", "Transfer-Encoding"]
                request.setValue("\(body.length)", forHTTPHeaderField: "Content-Length")
            }
            for name in unwanted where !additional.contains(name.lowercased()) {
                if request.value(forHTTPHeaderField: name) == nil { request.setValue(" ", forHTTPHeaderField: name) }
            }
            if needsOwnConnection { request.setValue("close", forHTTPHeaderField: "Connection") }
        }
    #else
        private func bytes() throws -> Data? {
            guard let source = body else { return nil }
            var bytes = Data(count: Int(clamping: source.length))
            var position = 0
            while position < bytes.count {
                let count = try bytes.withUnsafeMutableBytes { buffer in
                    try source.read(into: .init(rebasing: buffer[position...]), at: Int64(position))
                }
                guard count > 0 else { break }
                position += count
            }
            return bytes
        }
    #endif
}

extension URL {
    /// The URL with its scheme in lower case, because FoundationNetworking recognizes no other.
    fileprivate var withLowercaseScheme: URL {
        guard let scheme, scheme != scheme.lowercased(),
            var parts = URLComponents(url: self, resolvingAgainstBaseURL: false)
        else { return self }
        parts.scheme = scheme.lowercased()
        return parts.url ?? self
    }
}
