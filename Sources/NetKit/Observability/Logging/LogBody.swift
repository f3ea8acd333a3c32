import Foundation

/// The excerpt of a body for a log: its first part as text, with secrets masked.
struct LogBody {
    let limit: Int
    let redaction: Redaction

    /// Returns the excerpt of a body in memory.
    func excerpt(_ data: Data, contentType: String?) -> String {
        guard !data.isEmpty else { return "<empty>" }
        let type = Self.name(of: contentType)
        guard Self.isText(type) else { return "<\(data.count) bytes of \(type ?? "unknown type")>" }
        let cut = data.prefix(max(0, limit))
        guard type != nil || !cut.contains(0) else { return "<\(data.count) bytes of unknown type>" }
        let masked = String(decoding: Self.masked(cut, type: type, redaction), as: UTF8.self)
        return masked + (cut.count < data.count ? "… (\(data.count) bytes)" : "")
    }

    /// Returns the bytes of a text with secrets masked.
    static func masked(_ data: Data, type: String?, _ redaction: Redaction) -> Data {
        guard type == "application/x-www-form-urlencoded" else { return Data(JSONMask(redaction).masking(data)) }
        // A form follows the rules for queries, and the question mark makes it one.
        return Data(redaction.redacted(urlText: "?" + String(decoding: data, as: UTF8.self)).utf8.dropFirst())
    }

    /// Returns the media type without its parameters, in lower case.
    static func name(of contentType: String?) -> String? {
        contentType.map { String($0.prefix { $0 != ";" }).lowercased().trimmingCharacters(in: .whitespaces) }
    }

    /// Returns whether a body of a type is text.
    ///
    /// A body without a type may be text.
    static func isText(_ type: String?) -> Bool {
        guard let type else { return true }
        return type.hasPrefix("text/") || type.hasSuffix("+json") || type.hasSuffix("+xml")
            || textTypes.contains(type)
    }

    private static let textTypes: Set<String> = [
        "application/json", "application/json-seq", "application/jsonl", "application/ndjson", "application/x-ndjson",
        "application/xml", "application/x-www-form-urlencoded",
    ]
}

/// Masks the values of secret names in anything that looks like JSON, even if it is truncated.
struct JSONMask {
    private let names: Set<String>
    private let publicNames: Set<String>
    private let usesPatterns: Bool

    init(_ redaction: Redaction) {
        names = Set(redaction.queryItems.union(redaction.headerNames).map(Self.plain))
        publicNames = Set(redaction.publicQueryItems.map(Self.plain))
        usesPatterns = redaction.usesPatterns
    }

    /// Returns the form that `accessToken`, `access_token` and `Access-Token` have in common.
    private static func plain(_ name: String) -> String {
        name.lowercased().filter { $0 != "_" && $0 != "-" }
    }

    func masking(_ data: some Collection<UInt8>) -> [UInt8] {
        let bytes = Array(data)
        var (result, position) = ([UInt8](), 0)
        result.reserveCapacity(bytes.count)
        while position < bytes.count {
            guard bytes[position] == Self.quote else {
                result.append(bytes[position])
                position += 1
                continue
            }
            let end = endOfString(bytes, from: position)
            result += bytes[position..<end]
            let name = bytes[position..<end]
            position = end
            guard let value = startOfValue(bytes, from: end), isSecret(name) else { continue }
            result += bytes[end..<value]
            result += Array("\"\(Redaction.mask)\"".utf8)
            position = endOfValue(bytes, from: value)
        }
        return result
    }

    private static let quote = UInt8(ascii: "\"")

    private func isSecret(_ quoted: ArraySlice<UInt8>) -> Bool {
        let inner = quoted.dropFirst().dropLast()
        guard inner.count <= 64 else { return false }
        let name = String(decoding: inner, as: UTF8.self)
        let plain = Self.plain(name)
        return names.contains(plain) || usesPatterns && SecretNamePattern.matches(name) && !publicNames.contains(plain)
    }

    /// Returns the position after the closing quotation mark, or the end if there is none.
    private func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
        var position = start + 1
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "\\") {
                position += 1
            } else if bytes[position] == Self.quote {
                return position + 1
            }
            position += 1
        }
        return bytes.count
    }

    /// Returns the start of the value after a name, or `nil` if the string was not a name.
    private func startOfValue(_ bytes: [UInt8], from end: Int) -> Int? {
        let colon = skippingBlanks(bytes, from: end)
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
        return skippingBlanks(bytes, from: colon + 1)
    }

    private func skippingBlanks(_ bytes: [UInt8], from start: Int) -> Int {
        var position = start
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
        return position
    }

    /// Returns the end of a string, an array, an object, or another value.
    private func endOfValue(_ bytes: [UInt8], from start: Int) -> Int {
        var (position, depth) = (start, 0)
        while position < bytes.count {
            switch bytes[position] {
            case Self.quote:
                position = endOfString(bytes, from: position)
                if depth == 0 { return position }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return position }
                depth -= 1
                if depth == 0 { return position + 1 }
            case UInt8(ascii: ","):
                if depth == 0 { return position }
            default: break
            }
            position += 1
        }
        return bytes.count
    }
}
