import Foundation
import NetKit

/// An exchange from a HAR file, from which a response can be made.
struct ReplayEntry: Sendable {
    let method: HTTPMethod
    let url: String
    /// The server and the path of the URL; `nil` if it is invalid.
    let address: ReplayAddress?
    /// The body of the request, if it was recorded.
    let body: Data?
    /// Whether the request had a body that was not recorded completely.
    let lacksBody: Bool
    private let number: Int
    private let status: HTTPStatus
    private let headers: HTTPHeaders
    /// The body of the response, if every byte that was read is recorded and it is not masked as a whole.
    private let content: Data?
    /// Whether the reader stopped before the end of the body, so that the rest of it is unknown.
    private let isGivenUp: Bool
    private let size: Int
    /// The reason why the body was not recorded, if the file has it.
    private let comment: String?
    /// The failure of the exchange, if it failed.
    private let failure: String?
    /// The outcome of the exchange, if it failed and NetKit wrote the file.
    private let outcome: NetKitError.Outcome?

    init(_ value: JSONValue, number: Int) throws {
        let entry = HARValue(value: value, place: "log.entries[\(number - 1)]")
        let (request, response) = (try entry.object("request"), try entry.object("response"))
        guard let request, let method = try request.string("method"), let url = try request.string("url") else {
            let message = "The file is not a HAR file: entry \(number) has no request with a method and URL."
            throw NetKitError(.decoding, message, codingPath: "\(entry.place).request")
        }
        self.method = HTTPMethod(method)
        self.url = url
        // Parsed once, because each request is compared with each entry.
        address = ReplayAddress(Redaction.standard.redacted(urlText: url))
        self.number = number
        let posted = try request.object("postData")
        body = try posted?.bytes(encoding: "_encoding")
        lacksBody = body == nil && posted != nil
        status = try response?.status("status") ?? 0
        let mayHaveBody = status.mayHaveBody(respondingTo: self.method)
        headers = Self.headers(try response?.fields("headers") ?? [], isOfBody: mayHaveBody)
        let recorded = try response?.object("content")
        let bytes = mayHaveBody ? try recorded?.bytes(encoding: "encoding") : Data()
        size = recorded?.value["size"]?.int ?? 0
        let isMasked = bytes == Data(Redaction.mask.utf8) && ![0, Redaction.mask.utf8.count].contains(size)
        content = isMasked ? nil : bytes
        isGivenUp = mayHaveBody && recorded?.value["_comment"] != nil
        let reason = isMasked ? "It was masked, because the encoding of its text could hide secrets." : nil
        comment = recorded?.value["comment"]?.string ?? reason
        failure = try response?.string("_error") ?? (status.code == 0 ? "it has no response" : nil)
        let outcomes: [NetKitError.Outcome] = [.notSent, .unknown, .answered]
        outcome = outcomes.first { $0.description == response?.value["_outcome"]?.string }
    }

    /// Returns the method and the URL, with secrets masked.
    func line(_ redaction: Redaction) -> String {
        NetKitError.oneLine("\(method.rawValue) \(redaction.redacted(urlText: url))", limit: 200)
    }

    /// Returns the recorded response, or throws the recorded failure.
    func response(to url: URL) throws -> HTTPResponse {
        guard status.code > 0 else { throw error(orOutcome: .unknown) }
        guard let content = content ?? (size > 0 && failure == nil && !status.isRedirection ? nil : Data()) else {
            let hint =
                comment ?? "Record with `HARRecorder(maxBodyBytes:)`, or let the browser save the file with content."
            let message = "Entry \(number) of the recording does not have the whole body of \(size) bytes. \(hint)"
            throw NetKitError(.noStub, message, outcome: .answered)
        }
        guard failure != nil || isGivenUp else {
            return HTTPResponse(status: status, headers: headers, body: ResponseBody(content), url: url)
        }
        let pipe = BodyPipe(maxBytes: .max)
        pipe.offer(content)
        pipe.fail(failure == nil ? missingRest : error(orOutcome: .answered))
        return HTTPResponse(status: status, headers: headers, body: ResponseBody(source: pipe), url: url)
    }

    /// The error of a body after the part that was read when it was recorded.
    private var missingRest: NetKitError {
        let message = "Entry \(number) of the recording has only the \(size) bytes of the body that were read. "
        return NetKitError(.noStub, message + "Read all of it when you record.", outcome: .answered)
    }

    /// Returns the recorded failure, with its original code and outcome if the file has them.
    private func error(orOutcome likely: NetKitError.Outcome) -> any Error {
        let failure = failure ?? ""
        if failure == "cancelled" { return CancellationError() }
        let code = Self.codes.first { failure.hasPrefix("\($0): ") } ?? .connectionLost
        return NetKitError(code, "Recorded: \(failure)", outcome: outcome ?? likely)
    }

    /// The codes of failed exchanges, which are all: a transport of your own may fail with any.
    private static let codes: [NetKitError.Code] = [
        .timeout, .dns, .connect, .proxy, .tls, .connectionLost, .offline, .invalidResponse, .bodyTooLarge,
        .addressRefused, .closed, .custom, .file, .unsupported, .bodyConsumed, .encoding, .invalidRequest, .invalidURL,
        .invalidConfiguration, .unauthorized, .redirect, .server, .decoding, .cacheMiss, .conflict, .circuitOpen,
        .rateLimited, .queueFull, .queueLocked, .queued, .storeUnavailable, .noStub,
    ]

    /// Returns the header fields.
    ///
    /// Those that describe the encoding of a body on the wire are left out, because it is stored decoded. Without a
    /// body, they are facts about the resource, such as its size.
    private static func headers(_ fields: [(name: String, value: String)], isOfBody: Bool) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, value) in fields where !name.hasPrefix(":") {
            if isOfBody, ["content-encoding", "content-length", "transfer-encoding"].contains(name.lowercased()) {
                continue
            }
            // Browsers join fields of one name with line breaks.
            for line in value.split(separator: "\n", omittingEmptySubsequences: false) {
                headers.add(name, String(line))
            }
        }
        return headers
    }
}
