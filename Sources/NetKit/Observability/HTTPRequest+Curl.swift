public import Foundation

extension HTTPRequest {
    /// Returns the request as a curl command for a POSIX shell.
    ///
    /// ```swift
    /// print(try request.curlCommand(baseURL: base))
    /// // curl --request 'POST' --header 'Authorization: ***' --data-raw '{"id":42}' 'https://api.example.com/v1/orders'
    /// ```
    /// Secrets are masked, including those in JSON and form bodies. A multipart body that is given as bytes is masked
    /// as a whole. The command reads a file body from the file, and a stream body from its standard input.
    ///
    /// - Parameters:
    ///   - baseURL: The base URL for a relative path.
    ///   - redaction: The rules for redacting sensitive values, or `nil` to show everything.
    /// - Returns: The command, which has line breaks only if the body has.
    /// - Throws: `.invalidURL` for a path without a base URL, `.invalidRequest` for a request that cannot be sent, or
    ///   the error of encoding the body.
    public func curlCommand(baseURL: URL? = nil, redaction: Redaction? = .standard) throws(NetKitError) -> String {
        var base: BaseURL?
        if let baseURL { base = try BaseURL(baseURL) }
        let request = try resolved(against: base).prepared()
        try RequestValidation.validate(request)
        // curl would send a user and a password as a credential, which a transport does not do.
        let target = request.url.withoutUserInfo
        let url = redaction?.redacted(target) ?? target.absoluteString
        let headers = redaction?.redacted(request.headers) ?? request.headers
        var words = ["curl"]
        // curl expands brackets and braces, and resolves dots in paths.
        if url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
        if url.contains("/.") { words.append("--path-as-is") }
        if method == .head, body == nil {
            words.append("--head")
        } else if method != .get || body != nil {
            words += ["--request", ShellText.quoted(method.rawValue)]
        }
        // curl computes the length itself, and the recorded one would be wrong for a masked body.
        for field in headers.fields where !HTTPHeaders.isEqual(field.name, "Content-Length") {
            // curl omits an empty field unless it ends with a semicolon.
            let isEmpty = field.value.isHTTPBlank
            words += ["--header", ShellText.quoted(isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")]
        }
        if headers.contains("Accept-Encoding") { words.append("--compressed") }
        var source: String?
        if let body {
            // Otherwise curl would add the content type of a form.
            if !headers.contains("Content-Type") { words += ["--header", "'Content-Type:'"] }
            let type = headers["Content-Type"]
            let curlBody = try CurlCommandBody(body, type, hiding: redaction, isSignIn: !requiresAuth)
            words += curlBody.arguments
            source = curlBody.source
        } else if method.expectsBody {
            words += ["--header", "'Content-Length: 0'"]
        }
        words.append(ShellText.quoted(url))
        return (source.map { "\($0) | " } ?? "") + words.joined(separator: " ")
    }
}

/// A request's body on a curl command line.
struct CurlCommandBody {
    /// The maximum number of bytes in one argument.
    ///
    /// Linux allows 128 KiB.
    private static let maxArgumentBytes = 100_000

    private enum Way {
        case argument(String)
        case file(String)
        case command(String)
    }

    private let way: Way

    /// Creates the argument of a body; if it is that of a sign-in, all of it is secret.
    init(_ body: HTTPBody, _ contentType: String?, hiding redaction: Redaction?, isSignIn: Bool) throws(NetKitError) {
        if redaction != nil, isSignIn {
            way = .argument(Redaction.mask)
        } else if let file = body.fileRange, file.isWhole {
            way = .file(file.path)
        } else if let bytes = try Self.bytes(of: body) {
            let shown = redaction.map { Self.masked(bytes, contentType, $0) } ?? bytes
            let text = shown.count <= Self.maxArgumentBytes ? ShellText.text(of: shown) : nil
            way = text.map(Way.argument) ?? .command(ShellText.printing(shown))
        } else {
            way = .command(try Self.command(for: body, hiding: redaction))
        }
    }

    /// The arguments for curl.
    var arguments: [String] {
        switch way {
        case .argument(let text): ["--data-raw", ShellText.quoted(text)]
        case .file(let path): ["--data-binary", ShellText.quoted("@" + ShellText.path(path))]
        case .command: ["--data-binary", "@-"]
        }
    }

    /// The command whose output curl reads from its standard input, or `nil` if none is needed or the user provides the
    /// input.
    var source: String? {
        if case .command(let command) = way, command != Self.standardInput { command } else { nil }
    }

    private static let standardInput = "cat"

    private static func bytes(of body: HTTPBody) throws(NetKitError) -> Data? {
        guard body.fileRange == nil, body.parts == nil else { return nil }
        return try body.prepared().bytes
    }

    /// Returns bytes with their secrets masked.
    ///
    /// The parts of a form that is given as bytes may be secret as well.
    fileprivate static func masked(_ bytes: Data, _ contentType: String?, _ redaction: Redaction) -> Data {
        let type = LogBody.name(of: contentType)
        if type?.hasPrefix("multipart/") == true { return Data(Redaction.mask.utf8) }
        return LogBody.isText(type) ? LogBody.masked(bytes, contentType: contentType, redaction) : bytes
    }

    private static func command(for body: HTTPBody, hiding redaction: Redaction?) throws(NetKitError) -> String {
        if let file = body.fileRange {
            let path = ShellText.quoted(ShellText.path(file.path))
            guard !file.isWhole else { return "cat \(path)" }
            let rest = "tail -c +\(file.offset.addingSaturated(1)) \(path)"
            return file.length.map { "\(rest) | head -c \($0)" } ?? rest
        }
        if let parts = body.parts {
            var commands: [String] = []
            var head: FormPartHead?
            for part in parts {
                var next: FormPartHead?
                if let redaction, let bytes = try bytes(of: part) {
                    next = head == nil ? FormPartHead(bytes) : nil
                    let shown = head?.masked(bytes, redaction) ?? next?.masked(redaction) ?? bytes
                    commands.append(ShellText.printing(shown))
                } else if let redaction, part.parts != nil, head?.isSecret(redaction) == true {
                    commands.append(ShellText.printing(Data(Redaction.mask.utf8)))
                } else {
                    commands.append(try command(for: part, hiding: redaction))
                }
                head = next
            }
            return "{ \(commands.joined(separator: "; ")); }"
        }
        return try bytes(of: body).map(ShellText.printing) ?? standardInput
    }
}

/// The delimiter and the header of a form's part, which decide what of its content is secret.
private struct FormPartHead {
    private let start: String
    private let name: String
    private var fields = HTTPHeaders()

    /// Reads a delimiter and a header; `nil` for any other text.
    init?(_ bytes: Data) {
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        let begin = "Content-Disposition: form-data; name=\""
        guard lines.count > 2, lines[0].hasPrefix("--"), lines[1].hasPrefix(begin) else { return nil }
        start = "\(lines[0])\r\n\(lines[1])\r\n"
        name = String(lines[1].dropFirst(begin.count).prefix { $0 != "\"" })
        for line in lines.dropFirst(2) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields.add(String(line[..<colon]), String(line[colon...].dropFirst(2)))
        }
    }

    /// Returns the delimiter and the header with the secrets of its fields masked.
    func masked(_ redaction: Redaction) -> Data {
        let lines = redaction.redacted(fields).fields.map { "\($0.name): \($0.value)\r\n" }
        return Data("\(start)\(lines.joined())\r\n".utf8)
    }

    /// Returns whether all of the part's content is secret.
    func isSecret(_ redaction: Redaction) -> Bool { redaction.isSensitive(queryItem: name) }

    /// Returns the content of the part with its secrets masked.
    func masked(_ bytes: Data, _ redaction: Redaction) -> Data {
        if isSecret(redaction) { return Data(Redaction.mask.utf8) }
        return CurlCommandBody.masked(bytes, fields["Content-Type"], redaction)
    }
}

extension FileRange {
    fileprivate var isWhole: Bool { offset == 0 && length == nil }
}

/// Quoting of text and bytes for a POSIX shell.
enum ShellText {
    /// Returns the text in single quotes, in which only the quote itself is special.
    static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "'")]
        // Bytes, not characters: a quote followed by a combining accent ends the text as well.
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") { bytes += Array("'\\'".utf8) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "'"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the bytes as text for an argument, or `nil` if they cannot be one.
    static func text(of bytes: Data) -> String? {
        bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// Returns a command that prints the bytes.
    static func printing(_ bytes: Data) -> String {
        if let text = text(of: bytes) { return "printf '%s' \(quoted(text))" }
        var format = ""
        for byte in bytes {
            let isPlain = byte.isURLUnreserved && byte != UInt8(ascii: "-")
            format += isPlain ? String(UnicodeScalar(byte)) : "\\" + String(byte, radix: 8).zeroPadded(to: 3)
        }
        return "printf '\(format)'"
    }

    /// Returns the path in a form that no command mistakes for an option or standard input.
    static func path(_ path: String) -> String {
        path.utf8.first == UInt8(ascii: "/") ? path : "./" + path
    }
}
