public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension HTTPResponse {
    /// Makes a response from Foundation's, with a body of bytes.
    public init(_ response: HTTPURLResponse, data: Data) {
        self.init(head: response, body: ResponseBody(data))
    }

    init(head response: HTTPURLResponse, body: ResponseBody) {
        let pairs = response.allHeaderFields
            .compactMap { name, value in (name as? String).flatMap { name in (value as? String).map { (name, $0) } } }
            .orderedByName { $0.0 }
        let fields = pairs.flatMap { name, value in
            // Foundation joins repeated fields, and this is the one that may not be joined.
            let values = HTTPHeaders.isEqual(name, "Set-Cookie") ? SetCookieValue.split(value) : [value]
            return values.map { HTTPHeaders.Field(name, $0) }
        }
        self.init(status: HTTPStatus(response.statusCode), headers: HTTPHeaders(fields), body: body, url: response.url)
    }

    /// The head of the response as Foundation writes it; repeated fields are joined by `, `.
    public func urlResponse(for url: URL) throws -> HTTPURLResponse {
        var fields: [String: String] = [:]
        var seen = HTTPHeaders()
        for field in headers.fields where !seen.contains(field.name) {
            seen.add(field.name, "")
            fields[field.name] = headers.values(of: field.name).joined(separator: ", ")
        }
        let version = timings.protocolVersion ?? "HTTP/1.1"
        guard
            let response = HTTPURLResponse(
                url: self.url ?? url,
                statusCode: status.code,
                httpVersion: version,
                headerFields: fields
            )
        else {
            let message = "The answer cannot be expressed as HTTPURLResponse (status \(status.code))."
            throw NetKitError(.invalidResponse, message, outcome: .answered)
        }
        return response
    }
}
