import Foundation
import NetKit

/// An exchange of a HAR file, as far as it takes to answer with it.
struct ReplayEntry: Sendable {
    let method: HTTPMethod
    let url: String
    /// The body of the request, where it was recorded.
    let body: Data?
    private let number: Int
    private let status: HTTPStatus
    private let headers: HTTPHeaders
    /// The body of the answer, where all of it was recorded.
    private let content: Data?
    private let size: Int
    /// What the exchange ended with, where it failed.
    private let failure: String?

    init(_ value: JSONValue, number: Int) throws {
        let (request, response) = (value["request"], value["response"])
        guard let method = request?["method"]?.string, let url = request?["url"]?.string else {
            let message = "The file is no HAR: entry \(number) has no request with method and URL."
            throw NetKitError(.decoding, message, codingPath: "log.entries[\(number - 1)].request")
        }
        self.method = HTTPMethod(method)
        self.url = url
        self.number = number
        body = Self.bytes(request?["postData"], encoding: "_encoding")
        status = HTTPStatus(response?["status"]?.int ?? 0)
        headers = Self.headers(response?["headers"])
        content = Self.bytes(response?["content"], encoding: "encoding")
        size = response?["content"]?["size"]?.int ?? 0
        failure = response?["_error"]?.string ?? (status.code == 0 ? "it has no answer" : nil)
    }

    /// Method and URL, secrets masked.
    func line(_ redaction: Redaction) -> String {
        NetKitError.oneLine("\(method.rawValue) \(redaction.redacted(urlText: url))", limit: 200)
    }

    /// The answer, or the failure that was recorded.
    func response(to url: URL) throws -> HTTPResponse {
        guard status.code > 0 else { throw error(outcome: .unknown) }
        guard let content = content ?? (size > 0 && failure == nil && !status.isRedirection ? nil : Data()) else {
            let hint = "Record with `HARRecorder(bodyLimit:)`, or have the browser save the file with content."
            let message = "Entry \(number) of the recording has not the whole body of \(size) bytes. \(hint)"
            throw NetKitError(.noStub, message, outcome: .answered)
        }
        guard failure != nil else {
            return HTTPResponse(status: status, headers: headers, body: ResponseBody(content), url: url)
        }
        let pipe = BodyPipe(capacity: .max)
        pipe.offer(content)
        pipe.fail(error(outcome: .answered))
        return HTTPResponse(status: status, headers: headers, body: ResponseBody(source: pipe), url: url)
    }

    /// The failure with the code it had, where the file was written by NetKit.
    private func error(outcome: NetKitError.Outcome) -> any Error {
        let failure = failure ?? ""
        if failure == "cancelled" { return CancellationError() }
        let code = Self.codes.first { failure.hasPrefix("\($0): ") } ?? .connectionLost
        let wasSent = ![.dns, .connect, .proxy, .tls, .offline].contains(code)
        return NetKitError(code, "Recorded: \(failure)", outcome: wasSent ? outcome : .notSent)
    }

    private static let codes: [NetKitError.Code] = [
        .timeout, .dns, .connect, .proxy, .tls, .connectionLost, .offline, .invalidResponse, .bodyTooLarge,
        .addressRefused, .closed, .custom,
    ]

    /// What is there of a body, unless only a part was recorded.
    private static func bytes(_ value: JSONValue?, encoding: String) -> Data? {
        guard let text = value?["text"]?.string, value?["_kept"] == nil else { return nil }
        guard value?[encoding]?.string == "base64" else { return Data(text.utf8) }
        return Data(base64Encoded: text, options: .ignoreUnknownCharacters)
    }

    /// The header fields, without those that say how the body came over the wire: it is here as it was read.
    private static func headers(_ value: JSONValue?) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for field in value?.array ?? [] {
            guard let name = field["name"]?.string, let value = field["value"]?.string, !name.hasPrefix(":") else {
                continue
            }
            if ["content-encoding", "content-length", "transfer-encoding"].contains(name.lowercased()) { continue }
            // Browsers join fields of one name with line breaks.
            for line in value.split(separator: "\n", omittingEmptySubsequences: false) {
                headers.add(name, String(line))
            }
        }
        return headers
    }
}
