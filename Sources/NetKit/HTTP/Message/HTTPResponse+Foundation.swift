public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension HTTPResponse {
    /// Creates a response from Foundation's, with a body of bytes.
    public init(_ response: HTTPURLResponse, data: Data) {
        self.init(head: response, body: ResponseBody(data))
    }

    init(head response: HTTPURLResponse, body: ResponseBody) {
        let pairs = response.allHeaderFields
            .compactMap { name, value in (name as? String).flatMap { name in (value as? String).map { (name, $0) } } }
            .orderedByName { $0.0 }
        let fields = pairs.flatMap { name, value in
            // Foundation joins repeated fields, and this is the only one that must not be joined.
            let isCookie = HTTPHeaders.isEqual(name, "Set-Cookie")
            // On Linux, Foundation keeps the blanks at the end of a value.
            let values = isCookie ? SetCookieValue.split(value) : [String(Substring(value.utf8.trimmingBlanks))]
            return values.map { HTTPHeaders.Field(name, $0) }
        }
        self.init(status: HTTPStatus(response.statusCode), headers: HTTPHeaders(fields), body: body, url: response.url)
    }

    /// Returns the head of the response as Foundation represents it; repeated fields are joined by `, `.
    public func urlResponse(for url: URL) throws -> HTTPURLResponse {
        var fields: [String: String] = [:]
        // The names in the case in which they first occur.
        var names: [String: String] = [:]
        for field in headers.fields {
            let key = field.name.lowercased()
            if let name = names[key] {
                fields[name]?.append(", ")
                fields[name]?.append(field.value)
            } else {
                names[key] = field.name
                fields[field.name] = field.value
            }
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
            let message = "The response cannot be expressed as HTTPURLResponse (status \(status.code))."
            throw NetKitError(.invalidResponse, message, outcome: .answered)
        }
        return response
    }
}

/// `Set-Cookie` fields that were joined into one.
enum SetCookieValue {
    /// Splits joined fields again.
    ///
    /// A comma separates two cookies only if a name and `=` follow it: the one in `Expires=Wed, 21 Oct 2026` is
    /// followed by a day, and RFC 6265 allows no comma in a value.
    static func split(_ joined: String) -> [String] {
        let bytes = Array(joined.utf8)
        var parts: [ArraySlice<UInt8>] = []
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: ",") {
            guard beginsCookie(bytes[(index + 1)...]) else { continue }
            parts.append(bytes[start..<index])
            start = index + 1
        }
        parts.append(bytes[start...])
        return parts.map { String(decoding: $0.trimmingBlanks, as: UTF8.self) }
    }

    private static func beginsCookie(_ rest: ArraySlice<UInt8>) -> Bool {
        let name = rest.drop(while: \.isHTTPBlank).prefix { $0.isHTTPTokenByte }
        return !name.isEmpty && name.endIndex < rest.endIndex && rest[name.endIndex] == UInt8(ascii: "=")
    }
}
