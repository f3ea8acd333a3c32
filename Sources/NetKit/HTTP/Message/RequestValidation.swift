import Foundation

/// The checks before any transport gets a request, which prevent request smuggling over every transport.
enum RequestValidation {
    /// Throws `.invalidRequest`, with the name of the part at fault, if a request is invalid.
    ///
    /// The URL has to be valid already, and the length of the body final.
    static func validate(_ request: HTTPRequest) throws(NetKitError) {
        try validate(request.method, request.headers, request.body)
    }

    /// Validates the other parts of a request whose URL is known to be valid.
    static func validate(_ method: HTTPMethod, _ headers: HTTPHeaders, _ body: HTTPBody?) throws(NetKitError) {
        guard method.isToken else {
            let shown = NetKitError.oneLine(method.rawValue, limit: 40)
            let hint = "Use letters, digits and !#$%&'*+-.^_`|~ only."
            throw NetKitError(.invalidRequest, "The method \"\(shown)\" is not a token. \(hint)")
        }
        guard method != "CONNECT" else {
            throw NetKitError(
                .invalidRequest,
                "The method CONNECT cannot be sent. Set a proxy, and the transport opens the tunnel."
            )
        }
        guard body == nil || (method != .head && method != .trace) else {
            let hint = "Remove it, or use another method."
            throw NetKitError(.invalidRequest, "A \(method) request cannot have a body. \(hint)")
        }
        var declared: [String] = []
        for field in headers.fields {
            try validate(field)
            if HTTPHeaders.isEqual(field.name, "Content-Length") { declared.append(field.value) }
        }
        try validateFraming(declared, body)
    }

    /// Returns the problem of a URL as a sentence; `nil` if there is none.
    static func problem(ofURL url: URL) -> String? {
        if isPlain(url) { return nil }
        guard let scheme = url.scheme else { return "\"\(shown(url))\" has no scheme. Write https://…" }
        guard HTTPHeaders.isEqual(scheme, "https") || HTTPHeaders.isEqual(scheme, "http") else {
            return "The scheme of \"\(shown(url))\" is neither http nor https."
        }
        guard let host = url.host(percentEncoded: true), !host.isEmpty else {
            return "\"\(shown(url))\" has no host. Write https://host/…"
        }
        guard isHost(host) else { return "The host of \"\(shown(url))\" contains characters that no host name has." }
        if let port = url.port, !(1...65_535).contains(port) {
            return "The port of \"\(shown(url))\" is not between 1 and 65535."
        }
        return nil
    }

    /// Returns whether a URL is absolute and in the form that nearly all have; such a URL is valid.
    static func isPlain(_ url: URL) -> Bool { PlainAuthority.read(url) { _, _ in } != nil }

    private static func shown(_ url: URL) -> String {
        NetKitError.oneLine(Redaction.withoutQuery(url.absoluteString), limit: 200)
    }

    /// Returns whether a host is a registered name or an address.
    ///
    /// Foundation writes an IPv6 host with or without brackets.
    static func isHost(_ host: String) -> Bool {
        host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "%"):
                host.utf8.contains(UInt8(ascii: ":"))
            default: byte.isURLUnreserved
            }
        }
    }

    private static func validate(_ field: HTTPHeaders.Field) throws(NetKitError) {
        guard field.name.isHTTPToken else {
            let shown = NetKitError.oneLine(field.name, limit: 60)
            throw NetKitError(
                .invalidRequest,
                "The header name \"\(shown)\" is not a token. Check it for spaces and line breaks."
            )
        }
        guard !hasControlCharacter(field.value) else {
            let hint = "Remove line breaks and other control characters."
            throw NetKitError(.invalidRequest, "The value of header \"\(field.name)\" cannot be sent. \(hint)")
        }
        guard !HTTPHeaders.isEqual(field.name, "Transfer-Encoding") else {
            throw NetKitError(.invalidRequest, "Remove the header Transfer-Encoding: the transport frames the body.")
        }
    }

    /// Returns whether a value has a control character other than the tab.
    static func hasControlCharacter(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { hasControlCharacter(UnsafeRawBufferPointer($0)) }
    }

    /// Returns whether bytes have a control character other than the tab.
    ///
    /// It does not stop at the first one, so that many bytes are compared together: tokens are long, and sent with
    /// every call.
    static func hasControlCharacter(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var found: UInt8 = 0
        for byte in bytes {
            // Numbers, because conditions would be branches.
            let isLow: UInt8 = byte < 0x20 ? 1 : 0
            let isTab: UInt8 = byte == UInt8(ascii: "\t") ? 1 : 0
            let isDelete: UInt8 = byte == 0x7F ? 1 : 0
            found |= isLow ^ isTab | isDelete
        }
        return found != 0
    }

    /// Validates the values of the field `Content-Length`, which must agree with the body.
    private static func validateFraming(_ declared: [String], _ body: HTTPBody?) throws(NetKitError) {
        guard !declared.isEmpty else { return }
        guard declared.count == 1 else {
            let message = "The header Content-Length occurs more than once. Remove it, because the transport sets it."
            throw NetKitError(.invalidRequest, message)
        }
        guard let body else {
            guard declared.allSatisfy({ $0 == "0" }) else {
                throw NetKitError(
                    .invalidRequest,
                    "The header Content-Length announces a body, but there is none. Remove it."
                )
            }
            return
        }
        guard let length = body.length else {
            let hint = "Give the length to HTTPBody.stream(length:) instead."
            throw NetKitError(
                .invalidRequest,
                "The header Content-Length is set, but the length of the body is unknown. \(hint)"
            )
        }
        guard declared.allSatisfy({ $0 == "\(length)" }) else {
            let shown = NetKitError.oneLine(declared.joined(separator: ", "), limit: 60)
            let message =
                "The header Content-Length says \(shown), but the body has \(length.counting("byte")). Remove the header."
            throw NetKitError(.invalidRequest, message)
        }
    }
}
