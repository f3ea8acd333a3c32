import Foundation
import NetKit

/// The arguments of `netkit request`.
struct RequestOptions: Equatable {
    var url: URL
    var method = "GET"
    var headers: [String] = []
    var data: String?
    var timeout: Duration?
    var showsExplanation = false

    static let help = """
        Usage: netkit request <url> [options]

          -X, --method <method>    the method; GET, or POST where there is data
          -H, --header <name: value>
                                   a header field; can be repeated
          -d, --data <text>        what to send; @file sends a file
          --timeout <seconds>      how long the whole call may take
          --explain                show the pipeline that the request passes
          -h, --help               show this text

        Status, headers and timing go to standard error, the body to standard output.
        The exit code is 0 for an answer below 400, 4 for 4xx, 5 for 5xx, 1 for a failure, 2 for wrong arguments.
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var address: String?
        var method: String?
        var headers: [String] = []
        while let argument = rest.popFirst() {
            switch argument {
            case "-h", "--help": throw UsageError.help
            case "-X", "--method": method = try Self.value(of: argument, from: &rest)
            case "-H", "--header": headers.append(try Self.value(of: argument, from: &rest))
            case "-d", "--data": data = try Self.value(of: argument, from: &rest)
            case "--explain": showsExplanation = true
            case "--timeout":
                let text = try Self.value(of: argument, from: &rest)
                guard let seconds = Double(text), seconds > 0, seconds < 1e9 else {
                    throw UsageError(message: "--timeout needs a number of seconds above 0, not \"\(text)\".")
                }
                timeout = .seconds(seconds)
            case _ where argument.hasPrefix("-"):
                throw UsageError(message: "there is no option \"\(argument)\".")
            case _ where address == nil: address = argument
            default: throw UsageError(message: "one URL is enough; what is \"\(argument)\"?")
            }
        }
        guard let address else { throw UsageError(message: "the URL is missing.") }
        url = try Self.url(address)
        self.method = method ?? (data == nil ? "GET" : "POST")
        self.headers = headers
    }

    func request() throws -> HTTPRequest {
        var request = HTTPRequest(HTTPMethod(method), url)
        for header in headers {
            let (name, value) = try Self.field(header)
            request.headers.add(name, value)
        }
        if let data {
            request.body = data.hasPrefix("@") ? .file(at: URL(fileURLWithPath: String(data.dropFirst()))) : .text(data)
        }
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

    static func value(of option: String, from rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst() else { throw UsageError(message: "\(option) needs a value.") }
        return value
    }
}

/// Arguments that make no sense, and why.
struct UsageError: Error {
    let message: String
    var isHelp = false

    static let help = UsageError(message: "", isHelp: true)
}
