import Foundation
import NetKit

/// The arguments of `netkit request`.
struct RequestOptions: Equatable {
    var url: URL
    var method: String?
    var headers: [String] = []
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

    static let help = """
        Usage: netkit request <url> [options]

        Request:
          -X, --method <method>       the method; default GET, or POST with a body
          -H, --header <name: value>  add a header field; can be repeated
          -d, --data <text>           the body; @file sends a file
          --data-json <text>          a JSON body, which is checked first; @file sends a file
          -F, --form <name=value>     a form field; name=@file sends a file; can be repeated

        Sending:
          --timeout <seconds>         the longest time that the whole call may take
          --retry <count>             the number of retries; default 2
          --cache <folder>            use a cache in a folder
          --transport <name>          curl or urlsession; default the better one for the platform
          --http1.1, --http2          use only HTTP/1.1; use HTTP/2, and say so if the server does not
          --resolve <host=address>    connect to an address instead of resolving the host; can be repeated
          --unix-socket <path>        connect to a Unix domain socket, whatever the host

        Output:
          -v, --verbose               show events and where the time went
          --trace                     send a `traceparent`, and show the spans of the trace
          --har <file>                record the exchanges in a HAR file for browsers' developer tools
          --json                      print everything as one JSON object on standard output
          --explain                   show the pipeline of the request
          -h, --help                  show this help

        Status, headers and timing are written to standard error, and the body to standard output. Colours are used only
        on terminals, and not if NO_COLOR is set. NETKIT_… variables change limits.
        The exit code is 0 for a status below 400, 4 for 4xx, 5 for 5xx, 1 for a failure, 2 for wrong arguments.
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var address: String?
        url = URL(fileURLWithPath: "/")
        while let argument = rest.popFirst() {
            switch argument {
            case "-h", "--help": throw UsageError.help
            case _ where try readContent(argument, from: &rest) || readManner(argument, from: &rest): break
            case "-v", "--verbose": isVerbose = true
            case "--trace": showsTrace = true
            case "--json": showsJSON = true
            case "--explain": showsExplanation = true
            case _ where argument.hasPrefix("-"):
                throw UsageError.unknownOption(argument)
            case _ where address == nil: address = argument
            default: throw UsageError.unexpected(argument)
            }
        }
        guard let address else { throw UsageError(message: "the URL is missing.") }
        url = try Self.url(address)
        try wire.check()
    }

    private mutating func readContent(_ argument: String, from rest: inout ArraySlice<String>) throws -> Bool {
        switch argument {
        case "-X", "--method": method = try rest.takeValue(of: argument)
        case "-H", "--header": headers.append(try rest.takeValue(of: argument))
        case "-d", "--data": try content.add(.data(try rest.takeValue(of: argument)))
        case "--data-json": try content.add(.json(try rest.takeValue(of: argument)))
        case "-F", "--form": try content.add(.form([try rest.takeValue(of: argument)]))
        default: return false
        }
        return true
    }

    private mutating func readManner(_ argument: String, from rest: inout ArraySlice<String>) throws -> Bool {
        switch argument {
        case "--timeout": timeout = .seconds(try Self.number(of: argument, from: &rest, "seconds above 0") { $0 > 0 })
        case "--retry":
            let isCount: (Double) -> Bool = { $0 >= 0 && $0 <= 1000 && $0 == $0.rounded() }
            retries = Int(try Self.number(of: argument, from: &rest, "repetitions from 0 to 1000", isCount))
        case "--cache": cacheFolder = try rest.takeValue(of: argument)
        case "--har": harFile = try rest.takeValue(of: argument)
        default: return try wire.read(argument, from: &rest)
        }
        return true
    }

    func request() throws -> HTTPRequest {
        var request = HTTPRequest(HTTPMethod(method ?? (content == .none ? "GET" : "POST")), url)
        for header in headers {
            let (name, value) = try Self.field(header)
            request.headers.add(name, value)
        }
        request.body = try content.body()
        return request
    }

    static func field(_ text: String) throws -> (name: String, value: String) {
        guard let colon = text.firstIndex(of: ":") else {
            throw UsageError(message: "a header is written \"name: value\", not \"\(text)\".")
        }
        return (String(text[..<colon]), text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }

    static func url(_ address: String) throws -> URL {
        let text = address.contains("://") ? address : "http://\(address)"
        guard let url = URL(string: text) else { throw UsageError(message: "\"\(address)\" is not a URL.") }
        return url
    }

    private static func number(
        of option: String,
        from rest: inout ArraySlice<String>,
        _ meaning: String,
        _ isFine: (Double) -> Bool
    ) throws -> Double {
        let text = try rest.takeValue(of: option)
        guard let number = Double(text), number < 1e9, isFine(number) else {
            throw UsageError(message: "\(option) needs a number of \(meaning), not \"\(text)\".")
        }
        return number
    }
}
