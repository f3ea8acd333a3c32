public import Foundation

extension HTTPRequest {
    /// The request as a command of curl, to try it by hand in a POSIX shell.
    ///
    /// ```swift
    /// print(try request.curlCommand(baseURL: base))
    /// // curl --request 'POST' --header 'Authorization: ***' --data-raw '{"id":42}' 'https://api.example.com/v1/orders'
    /// ```
    /// What is secret is masked, in bodies that are JSON or a form too. A file is read where it is; what a stream sends has to
    /// come from the command's standard input.
    ///
    /// - Parameters:
    ///   - baseURL: What a path is joined to; a request for an absolute URL needs none.
    ///   - redaction: What is secret; nil shows everything.
    /// - Returns: The command, which has line breaks only where the body has them.
    /// - Throws: `.invalidURL` for a path without a base, `.invalidRequest` for what cannot be sent, or what is wrong with
    ///   the body.
    public func curlCommand(baseURL: URL? = nil, redaction: Redaction? = .standard) throws(NetKitError) -> String {
        var base: BaseURL?
        if let baseURL { base = try BaseURL(baseURL) }
        let request = try resolved(against: base).prepared()
        try RequestValidation.validate(request)
        let url = redaction?.redacted(request.url) ?? request.url.absoluteString
        let headers = redaction?.redacted(request.headers) ?? request.headers
        var words = ["curl"]
        // To curl brackets and braces are patterns, and dots a way up.
        if url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
        if url.contains("/.") { words.append("--path-as-is") }
        if method == .head, body == nil {
            words.append("--head")
        } else if method != .get || body != nil {
            words += ["--request", ShellText.quoted(method.rawValue)]
        }
        // Its own count would be wrong for a body that is masked.
        for field in headers.fields where !HTTPHeaders.isEqual(field.name, "Content-Length") {
            // With a colon curl would leave out a field that is empty.
            let isEmpty = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            words += ["--header", ShellText.quoted(isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")]
        }
        if headers.contains("Accept-Encoding") { words.append("--compressed") }
        var source: String?
        if let body {
            // Otherwise curl says that it is a form.
            if !headers.contains("Content-Type") { words += ["--header", "'Content-Type:'"] }
            let type = headers["Content-Type"]
            let curlBody = try CurlCommandBody(body, type, hiding: redaction, isSignIn: !requiresAuth)
            words += curlBody.arguments
            source = curlBody.source
        }
        words.append(ShellText.quoted(url))
        return (source.map { "\($0) | " } ?? "") + words.joined(separator: " ")
    }
}
