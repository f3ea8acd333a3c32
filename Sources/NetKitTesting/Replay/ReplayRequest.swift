import Foundation
import NetKit

/// A request to compare with the entries of a recording.
struct ReplayRequest {
    /// The reason why an entry does not match the request, and its distance from the request.
    struct Mismatch {
        let distance: Int
        let reason: String
    }

    let redaction: Redaction
    private let method: HTTPMethod
    private let address: ReplayAddress?
    private let items: [String]
    private let body: Data
    private let contentType: String?
    private let matching: ReplayTransport.Matching
    /// The method and the URL, with secrets masked.
    let line: String

    init(_ request: HTTPRequest, body: Data, _ matching: ReplayTransport.Matching, _ redaction: Redaction) {
        self.redaction = redaction
        self.matching = matching
        self.body = body
        method = request.method
        line = redaction.requestLine(for: request)
        let url = redaction.redacted(request.url)
        address = ReplayAddress(url)
        items = matching.items(ofURL: url)
        contentType = request.headers["Content-Type"] ?? request.body?.contentType
    }

    /// Returns the mismatch of an entry, or `nil` if it matches.
    func mismatch(of entry: ReplayEntry) -> Mismatch? {
        let methodToo = entry.method == method ? 0 : 1
        guard let address, let other = entry.address else {
            return Mismatch(distance: 9, reason: "its URL is invalid")
        }
        guard other.origin == address.origin else {
            return Mismatch(distance: 6 + methodToo, reason: "the server differs")
        }
        guard other.path == address.path else { return Mismatch(distance: 4 + methodToo, reason: "the path differs") }
        guard methodToo == 0 else { return Mismatch(distance: 3, reason: "the method differs") }
        guard matching.items(ofURL: redaction.redacted(urlText: entry.url)) == items else {
            return Mismatch(distance: 2, reason: "the query differs")
        }
        guard !matching.comparesBody || !entry.lacksBody && isSame(entry.body) else {
            let reason = entry.lacksBody ? "its body was not recorded completely" : "the body differs"
            return Mismatch(distance: 1, reason: reason)
        }
        return nil
    }

    private func isSame(_ recorded: Data?) -> Bool {
        guard let recorded, recorded != body else { return recorded != nil || body.isEmpty }
        let (left, right) = (masked(recorded), masked(body))
        if let left = try? JSONValue(parsing: left), let right = try? JSONValue(parsing: right) {
            return Self.isLike(left, right)
        }
        return left == right
    }

    /// Returns a body with its secrets masked, as `HARRecorder` does it.
    private func masked(_ body: Data) -> Data {
        guard LogBody.isText(LogBody.name(of: contentType)) else { return body }
        return LogBody.masked(body, contentType: contentType, redaction)
    }

    /// Returns whether a value matches a recorded one, in which secrets are masked.
    private static func isLike(_ recorded: JSONValue, _ value: JSONValue) -> Bool {
        if recorded.string == Redaction.mask { return true }
        if let left = recorded.array, let right = value.array {
            return left.count == right.count && zip(left, right).allSatisfy(isLike)
        }
        if let left = recorded.object, let right = value.object {
            return left.count == right.count
                && left.allSatisfy { name, member in right[name].map { isLike(member, $0) } ?? false }
        }
        return recorded == value
    }
}

/// The parts of a URL that are compared and have no secrets.
struct ReplayAddress {
    let origin: Origin
    let path: String

    init?(_ text: String) {
        guard let url = URL(string: text), let origin = Origin(url) else { return nil }
        self.origin = origin
        let path = url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
    }
}

extension ReplayTransport.Matching {
    /// Returns the query items that are compared, in one order.
    fileprivate func items(ofURL text: String) -> [String] {
        guard !ignoresQuery, let query = URL(string: text)?.query(percentEncoded: true) else { return [] }
        let items = query.split(separator: "&").filter { item in
            let name = String(item.prefix { $0 != "=" })
            return !ignoredQueryItems.contains(name.removingPercentEncoding ?? name)
        }
        return items.map(String.init).sorted()
    }
}
