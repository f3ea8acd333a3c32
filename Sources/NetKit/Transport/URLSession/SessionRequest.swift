import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request in the words of a session: what is sent is what was asked for, and nothing is made up.
///
/// Foundation's own request is big, and made only when the exchange starts.
struct SessionRequest: Sendable {
    let request: HTTPRequest
    let body: RequestBodySource?
    /// The header names that the session's configuration adds, in lower case.
    private let additional: Set<String>

    /// Time is kept by NetKit's own clock, since Foundation counts in whole seconds here.
    ///
    /// A time so far away that FoundationNetworking's timer, which it creates again for every line of a head, is never armed: each
    /// arming would wake another thread, fourteen times for a small response.
    private static let never: TimeInterval = 1e13

    init(_ request: HTTPRequest, body: RequestBodySource?, additional: Set<String>) {
        self.request = request
        self.body = body
        self.additional = additional
    }

    /// Whether libcurl may send the request again by itself, as it does where a kept connection closes ahead of the response.
    var mayBeLeftTwice: Bool { request.isRepeatable }

    /// Whether that has to be prevented by the connection, because there is no body whose second reading can be refused.
    var needsOwnConnection: Bool {
        #if canImport(FoundationNetworking)
            !mayBeLeftTwice && (body?.length ?? 0) == 0
        #else
            false
        #endif
    }

    /// The request as the session gets it.
    func urlRequest() throws -> URLRequest {
        var urlRequest = request.urlRequest()
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
        /// Adds what makes FoundationNetworking and libcurl leave their own ideas out.
        ///
        /// A value of one space passes through FoundationNetworking, and tells libcurl to send no such line. That is how a
        /// stream gets a length: the invented `Transfer-Encoding: chunked` goes, and `Content-Length` stands alone. And it
        /// has to be a stream, because only a stream is rewound when a reused connection turns out to be closed.
        private func frame(_ request: inout URLRequest) {
            var unwanted = ["Accept-Language", "User-Agent", "Expect"]
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
