import Foundation
import NetKit

/// A request as a line of JSON, and its result.
struct BridgeExchange: Sendable {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    let request: HTTPRequest
    let policy: CachePolicy?
    /// The id as JSON, of any type.
    private let id: String
    private let wantsObject: Bool

    init(_ line: String) throws(Problem) {
        guard let object = Self.object(line) else { throw Problem(description: "The line is no JSON object.") }
        guard let text = object["url"] as? String, let url = URL(string: text) else {
            throw Problem(description: "\"url\" is missing or no URL.")
        }
        id = Self.id(in: object)
        wantsObject = object["headers"] is [String: Any]
        var body: HTTPBody?
        if let text = object["body"] as? String { body = .data(Data(text.utf8)) }
        if let text = object["bodyBase64"] as? String { body = Data(base64Encoded: text).map { .data($0) } }
        let method = HTTPMethod(object["method"] as? String ?? "GET")
        request = HTTPRequest(method, url, headers: try Self.headers(object["headers"]), body: body)
        policy = try Self.policy(object["policy"])
    }

    /// Returns the response as a line.
    func line(_ response: HTTPResponse, _ body: Data) -> Data {
        var fields: [(String, Any)] = [("status", response.status.code)]
        if wantsObject {
            var headers: [String: String] = [:]
            for field in response.headers {
                headers[field.name] = headers[field.name].map { $0 + ", " + field.value } ?? field.value
            }
            fields.append(("headers", headers))
        } else {
            fields.append(("headers", response.headers.fields.map { [$0.name, $0.value] }))
        }
        if let text = String(data: body, encoding: .utf8) {
            fields.append(("body", text))
        } else {
            fields.append(("bodyBase64", body.base64EncodedString()))
        }
        return Self.line(id, fields)
    }

    /// Returns an error as a line.
    func failure(_ text: String) -> Data { Self.line(id, [("error", text)]) }

    /// Returns an error about a line that is not a request.
    static func failure(of line: String, _ text: String) -> Data {
        self.line(object(line).map(id) ?? "null", [("error", text)])
    }

    private static func object(_ line: String) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
    }

    private static func id(in object: [String: Any]) -> String {
        guard let id = object["id"] else { return "null" }
        return json(id)
    }

    private static func headers(_ value: Any?) throws(Problem) -> HTTPHeaders {
        switch value {
        case nil, is NSNull: return HTTPHeaders()
        case let pairs as [[String]] where pairs.allSatisfy({ $0.count == 2 }):
            return HTTPHeaders(pairs.map { HTTPHeaders.Field($0[0], $0[1]) })
        case let object as [String: Any]:
            var headers = HTTPHeaders()
            for (name, value) in object.sorted(by: { $0.key < $1.key }) {
                for text in value as? [String] ?? [value as? String ?? "\(value)"] { headers.add(name, text) }
            }
            return headers
        default: throw Problem(description: "\"headers\" is neither an object nor a list of pairs.")
        }
    }

    private static func policy(_ value: Any?) throws(Problem) -> CachePolicy? {
        switch value as? String {
        case nil: return nil
        case "standard": return .standard
        case "noCache": return .noCache
        case "cacheOnly": return .cacheOnly
        case "cacheFirst": return .cacheFirst
        case "networkFirst": return .networkFirst
        case "reload": return .reload
        case let name?: throw Problem(description: "There is no policy \(name).")
        }
    }

    private static func line(_ id: String, _ fields: [(String, Any)]) -> Data {
        let members = ["\"id\":\(id)"] + fields.map { "\"\($0.0)\":\(json($0.1))" }
        return Data("{\(members.joined(separator: ","))}".utf8)
    }

    private static func json(_ value: Any) -> String {
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        let data = try? JSONSerialization.data(withJSONObject: value, options: options)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
