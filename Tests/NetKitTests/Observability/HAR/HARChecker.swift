import Foundation
import NetKit

/// A validator for HAR 1.2, which finds missing fields, wrong types and unknown fields.
struct HARChecker {
    /// The required type of a value.
    private indirect enum Kind: Sendable {
        case text
        case date
        case integer
        /// A number that is not negative, except -1 for a value that does not apply.
        case milliseconds
        case list(of: Kind)
        case object([String: Kind], optional: [String: Kind] = [:])
    }

    private static let pair = Kind.object(["name": .text, "value": .text], optional: ["comment": .text])
    private static let cookie = Kind.object(
        ["name": .text, "value": .text],
        optional: ["path": .text, "domain": .text, "expires": .date, "comment": .text]
    )
    private static let request = Kind.object(
        [
            "method": .text, "url": .text, "httpVersion": .text, "cookies": .list(of: cookie),
            "headers": .list(of: pair), "queryString": .list(of: pair), "headersSize": .integer, "bodySize": .integer,
        ],
        optional: [
            "postData": .object(["mimeType": .text, "text": .text], optional: ["comment": .text]), "comment": .text,
        ]
    )
    private static let content = Kind.object(
        ["size": .integer, "mimeType": .text],
        optional: ["compression": .integer, "text": .text, "encoding": .text, "comment": .text]
    )
    private static let response = Kind.object(
        [
            "status": .integer, "statusText": .text, "httpVersion": .text, "cookies": .list(of: cookie),
            "headers": .list(of: pair), "content": content, "redirectURL": .text, "headersSize": .integer,
            "bodySize": .integer,
        ],
        optional: ["comment": .text]
    )
    private static let timings = Kind.object(
        ["send": .milliseconds, "wait": .milliseconds, "receive": .milliseconds],
        optional: [
            "blocked": .milliseconds, "dns": .milliseconds, "connect": .milliseconds, "ssl": .milliseconds,
            "comment": .text,
        ]
    )
    private static let entry = Kind.object(
        [
            "startedDateTime": .date, "time": .milliseconds, "request": request, "response": response,
            "cache": .object([:], optional: ["comment": .text]), "timings": timings,
        ],
        optional: ["pageref": .text, "serverIPAddress": .text, "connection": .text, "comment": .text]
    )
    private static let application = Kind.object(["name": .text, "version": .text], optional: ["comment": .text])
    private static let file = Kind.object([
        "log": .object(
            ["version": .text, "creator": application, "entries": .list(of: entry)],
            optional: ["browser": application, "comment": .text]
        )
    ])

    private(set) var problems: [String] = []

    /// Returns every problem of a file with its position.
    static func problems(in data: Data) throws -> [String] {
        var checker = HARChecker()
        let value = try JSONValue(parsing: data)
        checker.check(value, file, at: "file")
        for (index, entry) in (value["log"]?["entries"]?.array ?? []).enumerated() {
            let parts = ["blocked", "dns", "connect", "send", "wait", "receive"]
            let sum = parts.map { max(0, entry["timings"]?[$0]?.double ?? 0) }.reduce(0, +)
            let isSum = abs(sum - (entry["time"]?.double ?? -1)) < 0.01
            checker.insist(isSum, "entry \(index): its time is not the sum of its parts")
            let (connect, handshake) = (entry["timings"]?["connect"]?.double, entry["timings"]?["ssl"]?.double)
            checker.insist((handshake ?? -1) <= (connect ?? -1), "entry \(index): ssl is no part of connect")
        }
        return checker.problems
    }

    private mutating func insist(_ isGood: Bool, _ problem: String) {
        if !isGood { problems.append(problem) }
    }

    private mutating func check(_ value: JSONValue, _ kind: Kind, at place: String) {
        switch kind {
        case .text: insist(value.string != nil, "\(place) is no text")
        case .integer: insist(value.int.map { $0 >= -1 } ?? false, "\(place) is no integer from -1 on")
        case .milliseconds:
            insist(value.double.map { $0 >= 0 || $0 == -1 } ?? false, "\(place) is no duration")
        case .date:
            let pattern = #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/#
            insist(value.string?.wholeMatch(of: pattern) != nil, "\(place) is no date")
        case .list(let kind):
            guard let elements = value.array else { return problems.append("\(place) is no list") }
            for (index, element) in elements.enumerated() { check(element, kind, at: "\(place)[\(index)]") }
        case .object(let required, let optional):
            guard let members = value.object else { return problems.append("\(place) is no object") }
            for name in required.keys { insist(members[name] != nil, "\(place).\(name) is missing") }
            for (name, member) in members where !name.hasPrefix("_") {
                if let kind = required[name] ?? optional[name] {
                    check(member, kind, at: "\(place).\(name)")
                } else {
                    problems.append("\(place).\(name) is no field of HAR 1.2")
                }
            }
        }
    }
}
