import Foundation

/// Turns a decoding failure into an error that names the place, without showing the payload.
enum DecodingProblem {
    static func error(
        for error: any Error,
        expected type: Any.Type,
        in data: Data? = nil,
        response: NetKitError.Response? = nil
    ) -> NetKitError {
        let (path, what) = describe(error, data)
        let place = path.isEmpty ? "" : "\(path): "
        let other = what == notJSON ? response.flatMap { otherContent(of: $0) } : nil
        return NetKitError(
            .decoding,
            "The body is not the expected \(type)\(other ?? ": \(place)\(what).")",
            outcome: .answered,
            cause: error,
            response: response,
            codingPath: path
        )
    }

    /// Returns the place below a depth and the reason, without the value.
    static func text(of error: any Error, below depth: Int) -> String {
        let (path, what) = describe(error, nil, below: depth)
        return path.isEmpty ? what : "\(path): \(what)"
    }

    private static func describe(_ error: any Error, _ data: Data?, below depth: Int = 0) -> (
        path: String, what: String
    ) {
        guard let error = error as? DecodingError else { return ("", "\(Swift.type(of: error)) was thrown") }
        switch error {
        case .typeMismatch(let type, let context):
            let found = data.flatMap { FoundValue.name(at: context.codingPath, in: $0) } ?? "another type"
            return (text(of: context.codingPath.dropFirst(depth)), "expected \(name(of: type)), found \(found)")
        case .valueNotFound(let type, let context):
            return (text(of: context.codingPath.dropFirst(depth)), "expected \(name(of: type)), found null")
        case .keyNotFound(let key, let context):
            return (text(of: context.codingPath.dropFirst(depth) + [key]), "the key is missing")
        case .dataCorrupted(let context) where context.underlyingError is JSONValue.NumberOutOfRange:
            return (text(of: context.codingPath.dropFirst(depth)), "the number is outside the range of Double")
        case .dataCorrupted(let context) where context.underlyingError is JSONCoder.InvalidDate:
            let hint = "use a JSONCoder that reads dates in another form"
            return (text(of: context.codingPath.dropFirst(depth)), "the value is not an ISO 8601 date; \(hint)")
        case .dataCorrupted(let context):
            let what = data.map { $0.isEmpty ? empty : FoundValue.isJSON($0) ? nil : notJSON } ?? nil
            return (text(of: context.codingPath.dropFirst(depth)), what ?? "the data is not valid")
        @unknown default: return ("", "decoding failed")
        }
    }

    /// Returns the name of a type as JSON has it, if the decoder asked for an object or a list.
    private static func name(of type: Any.Type) -> String {
        let name = "\(type)"
        return name.hasPrefix("Dictionary<") ? "an object" : name.hasPrefix("Array<") ? "an array" : name
    }

    private static let notJSON = "it is not JSON"
    private static let empty = "it is empty; if that is allowed, name an optional type or Void"

    /// Returns a description of the content that a response has in place of JSON; `nil` if it is said to be JSON.
    private static func otherContent(of response: NetKitError.Response) -> String? {
        let named = response.headers["Content-Type"].map { NetKitError.oneLine($0, limit: 60) }
        let words = String(decoding: response.body.prefix(400), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        let type = named?.lowercased() ?? ""
        let begin = words.first?.lowercased() ?? ""
        let isPage = type.contains("html") || begin.hasPrefix("<!doctype") || begin.hasPrefix("<html")
        let isNearlyJSON = type.contains("json") || begin.first.map { "{[\"".contains($0) } ?? true
        guard isPage || !isNearlyJSON else { return nil }
        let found = "\(named ?? "content without a type") with status \(response.status.code)"
        let reason = isPage ? "A proxy, a login page or a wrong base URL may have responded." : "Check the URL."
        // Anything but a page may be a secret, such as a token as plain text or as a form.
        guard isPage, begin.hasPrefix("<") else { return ", but \(found). \(reason)" }
        return ", but \(found): “\(NetKitError.oneLine(words.joined(separator: " "), limit: 80))”. \(reason)"
    }

    /// Returns the text of a path, such as `users[3].name`.
    private static func text(of path: ArraySlice<any CodingKey>) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}

extension JSONCoder {
    /// Decodes a value of a body, or throws the error that says where it failed, which carries the response.
    func value<Value: Decodable>(
        _ type: Value.Type,
        of data: Data,
        in response: @autoclosure () -> NetKitError.Response? = nil
    ) throws -> Value {
        do {
            return try decoder.read(type, of: data)
        } catch {
            throw DecodingProblem.error(for: error, expected: type, in: data, response: response())
        }
    }
}

/// The kind of JSON value at a place, never the value itself.
private enum FoundValue {
    /// The size above which a body is not parsed again, because this is only a hint.
    private static let maxBytes = 1 << 20

    /// Returns whether a body is JSON, even if a number in it has no value here, or too large to be parsed again.
    static func isJSON(_ data: Data) -> Bool {
        guard data.count <= maxBytes else { return true }
        do {
            _ = try JSONReader.value(of: data)
            return true
        } catch DecodingError.dataCorrupted(let context) {
            return context.underlyingError is JSONValue.NumberOutOfRange
        } catch {
            return false
        }
    }

    static func name(at path: [any CodingKey], in data: Data) -> String? {
        guard data.count <= maxBytes, var value = try? JSONReader.value(of: data) else {
            return nil
        }
        for key in path {
            guard let next = key.intValue.flatMap({ value[$0] }) ?? value[key.stringValue] ?? value[snakeCase(key)]
            else {
                return nil
            }
            value = next
        }
        return value.kindName
    }

    /// Returns a key in snake case, because the decoder may have converted it.
    private static func snakeCase(_ key: any CodingKey) -> String {
        key.stringValue.reduce(into: "") { text, character in
            text += character.isUppercase ? "_\(character.lowercased())" : "\(character)"
        }
    }
}
