import Foundation
import NetKit

/// The arguments of `netkit request`.
struct RequestOptions: Equatable {
    var url: URL
    var method: String?
    var headers: [String] = []
    /// The bearer tokens, or the files that have them; at most one is allowed.
    var tokens: [String] = []
    var content = RequestContent.none

    var timeout: Duration?
    var retries: Int?
    var cacheFolder: String?
    var harFile: String?
    var wire = TransportOptions()

    var isVerbose = false
    var showsExplanation = false
    var showsTrace = false
    var showsJSON = false

    var outputFile: String?

    static let syntax = CommandSyntax<RequestOptions>(
        name: "request",
        words: "[<METHOD>] <url> [<item>…] [options]",
        groups: [
            (
                "Request",
                [
                    .init("-X", "--method", value: "method", "the method; default GET, or POST with a body", \.method),
                    .init("-I", "--head", text: "send a HEAD request") { $0.method = "HEAD" },
                    .init("-H", "--header", value: "name: value", "add a header field; can be repeated") {
                        options,
                        value,
                        _ in
                        options.headers.append(value)
                    },
                    .init("-u", "--user", value: "user:password", "add Basic credentials") { options, value, name in
                        // RFC 7617 forbids control characters, such as the carriage return of a file from Windows.
                        guard value.contains(":"), !value.utf8.contains(where: \.isControl) else {
                            throw UsageError(message: "\(name) needs \"user:password\" without control characters.")
                        }
                        options.headers.append("Authorization: Basic \(Data(value.utf8).base64EncodedString())")
                    },
                    .init("--bearer", value: "token", "add a bearer token; @file reads it, @- from standard input") {
                        options,
                        value,
                        _ in
                        options.tokens.append(value)
                    },
                    .init("-d", "--data", value: "text", "the body; @file sends a file, @- standard input") {
                        options,
                        value,
                        _ in
                        try options.content.add(.data(value))
                    },
                    .init("--data-json", value: "text", "a JSON body, which is checked first; @file sends a file") {
                        options,
                        value,
                        _ in
                        try options.content.add(.json(value))
                    },
                    .init("-F", "--form", value: "name=value", "a form field; name=@file sends a file; can be repeated")
                    {
                        options,
                        value,
                        _ in
                        try options.content.add(.form([value]))
                    },
                ]
            ),
            (
                "Sending",
                [
                    .init("--timeout", value: "seconds", "the longest time that the whole call may take") {
                        $0.timeout = .seconds(try number(of: $2, $1, "seconds above 0, up to 999999999") { $0 > 0 })
                    },
                    .init("--retry", value: "count", "the number of retries; default 2") {
                        let isCount: (Double) -> Bool = { $0 >= 0 && $0 <= 1000 && $0 == $0.rounded() }
                        $0.retries = Int(try number(of: $2, $1, "retries from 0 to 1000", isCount))
                    },
                    .init("--cache", value: "folder", "use a cache in a folder", \.cacheFolder),
                ] + TransportOptions.options.map { $0.part(\.wire) }
            ),
            (
                "Output",
                [
                    .init(
                        "-o",
                        "--output",
                        value: "file",
                        "write the body to a file; - for standard output",
                        \.outputFile
                    ),
                    .init("-v", "--verbose", text: "show what is sent, the events, and where the time went") {
                        $0.isVerbose = true
                    },
                    .init("--trace", text: "send a `traceparent`, and show the spans of the trace") {
                        $0.showsTrace = true
                    },
                    .init(
                        "--har",
                        value: "file",
                        "record the exchanges in a HAR file for browsers' developer tools",
                        \.harFile
                    ),
                    .init("--json", text: "print everything as one JSON object on standard output") {
                        $0.showsJSON = true
                    },
                    .init("--explain", text: "show the pipeline of the request") { $0.showsExplanation = true },
                ]
            ),
        ],
        notes: """
            An item is name=value or name:=json for a JSON body, name==value for the query, or name:value for a header field:
            netkit request POST api.example.com/users name=Ada age:=36

            Status, headers and timing are written to standard error, and the body to standard output. Colors are used only
            on terminals, and not if NO_COLOR is set. NETKIT_… variables change limits.

            Other users of the machine can see the arguments, such as a password. Use --bearer @file for a token.
            """
    )

    init(_ arguments: [String]) throws {
        url = URL(fileURLWithPath: "/")
        var words = try Self.syntax.read(arguments, into: &self)[...]
        if words.count > 1, let first = words.first, first.utf8.allSatisfy({ (65...90).contains($0) }) {
            guard method == nil else {
                throw UsageError(message: "the method is given twice: \(first) and \(method ?? "").")
            }
            method = first
            words.removeFirst()
        }
        guard let address = words.popFirst() else { throw UsageError(message: "the URL is missing.") }
        url = try Self.url(address)
        try read(items: words)
        guard tokens.count + headers.count(where: { $0.lowercased().hasPrefix("authorization:") }) <= 1 else {
            throw UsageError(message: "use only one of --user, --bearer and an Authorization header.")
        }
        let streams = (content.sources + tokens).compactMap(RequestContent.onlyOnce)
        guard Set(streams).count == streams.count else {
            throw UsageError(message: "standard input can be read only once, for a body, a part or the token.")
        }
        try wire.check()
        guard !showsJSON || outputFile == nil else { throw UsageError(message: "use only one of --json and --output.") }
    }

    /// Reads words such as `name=value`, `name:=json`, `name==value` and `name:value`.
    private mutating func read(items: ArraySlice<String>) throws {
        var (members, query) = ([String: String](), [URLQueryItem]())
        for item in items {
            // A second URL would be a header field named `http`.
            guard let sign = item.firstIndex(where: { $0 == "=" || $0 == ":" }), sign > item.startIndex,
                !item[sign...].hasPrefix("://")
            else {
                throw UsageError.unexpected(item)
            }
            let (name, rest) = (String(item[..<sign]), item[sign...])
            if rest.hasPrefix(":=") {
                let text = String(rest.dropFirst(2))
                _ = try RequestContent.value(ofJSON: text, for: "\(name):=")
                // The text is sent as it was written, because a number may have more digits than a value keeps.
                members[name] = text
            } else if rest.hasPrefix("==") {
                query.append(URLQueryItem(name: name, value: String(rest.dropFirst(2))))
            } else if rest.hasPrefix("=") {
                members[name] = try RequestContent.json(ofString: String(rest.dropFirst()))
            } else {
                headers.append(item)
            }
        }
        if !query.isEmpty {
            do throws(NetKitError) {
                url = try URLBuilder(base: url).adding(query: query).build()
            } catch {
                throw UsageError(message: error.message)
            }
        }
        if !members.isEmpty { try content.add(.members(members)) }
    }

    /// Checks the places of the results before anything is sent.
    func checkOutputs() throws {
        let body = try OutputFile(outputFile ?? "-")
        guard let recording = try harFile.map(OutputFile.init), try recording.isSame(as: body) else { return }
        throw UsageError(message: "--har would write to the file that gets the response. Name another file.")
    }

    func request() throws -> HTTPRequest {
        var request = HTTPRequest(HTTPMethod(method ?? (content == .none ? "GET" : "POST")), url)
        for header in headers {
            let (name, value) = try Self.field(header)
            request.headers.add(name, value)
        }
        for token in tokens { request.headers.add("Authorization", "Bearer \(try RequestContent.token(token))") }
        request.body = try content.body()
        return request
    }

    static func field(_ text: String) throws -> (name: String, value: String) {
        guard let colon = text.firstIndex(of: ":") else {
            throw UsageError(message: "a header is written \"name: value\", and one has no colon.")
        }
        return (String(text[..<colon]), text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }

    static func url(_ address: String) throws -> URL {
        // A `://` further on belongs to the path or the query.
        let scheme = address.prefix { !"/?#".contains($0) }
        let hasScheme = scheme.hasSuffix(":") && address.dropFirst(scheme.count).hasPrefix("//")
        let rest = hasScheme ? address.dropFirst(scheme.count + 2) : address[...]
        // The transports leave them out, and only the status of the response would tell.
        guard !rest.prefix(while: { !"/?#".contains($0) }).contains("@") else {
            let hint = "Use --user for request, or an Authorization header."
            throw UsageError(message: "a user and a password in the URL are not sent. \(hint)")
        }
        guard let url = URL(text: hasScheme ? address : "http://\(address)"), url.host()?.isEmpty == false,
            ["http", "https"].contains(url.scheme?.lowercased())
        else {
            throw UsageError(message: "\"\(address.withoutPassword)\" is not a URL of http or https.")
        }
        return url
    }

    private static func number(
        of option: String,
        _ text: String,
        _ meaning: String,
        _ isValid: (Double) -> Bool
    ) throws -> Double {
        guard let number = Double(text), number < 1e9, isValid(number) else {
            throw UsageError(message: "\(option) needs a number of \(meaning), not \"\(text)\".")
        }
        return number
    }
}
