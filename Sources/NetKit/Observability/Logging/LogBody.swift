import Foundation

/// The excerpt of a body for a log: its first part as text, with secrets masked.
package struct LogBody: ~Copyable {
    let limit: Int
    let redaction: Redaction

    /// Returns the excerpt of a body in memory.
    func excerpt(_ data: Data, contentType: String?) -> String {
        guard !data.isEmpty else { return "<empty>" }
        let type = Self.name(of: contentType)
        guard Self.isText(type) else { return "<\(data.count) bytes of \(type ?? "unknown type")>" }
        let cut = data.prefix(max(0, limit))
        guard type != nil || Self.isReadable(cut, contentType) else { return "<\(data.count) bytes of unknown type>" }
        let masked = String(decoding: Self.masked(cut, contentType: contentType, redaction), as: UTF8.self)
        return masked + (cut.count < data.count ? "… (\(data.count) bytes)" : "")
    }

    /// Returns the bytes of a text with secrets masked: all of it if its encoding could hide their names.
    package static func masked(_ data: Data, contentType: String?, _ redaction: Redaction) -> Data {
        let type = name(of: contentType)
        // A body without a type may be binary.
        guard isReadable(data, contentType) || type == nil && !beginsAsJSON(data) else {
            return Data(Redaction.mask.utf8)
        }
        let masked = Data(JSONMask(redaction).masking(data))
        guard type == formType else { return masked }
        return Data(redaction.maskingValues(String(decoding: masked, as: UTF8.self).utf8[...]).utf8)
    }

    /// Returns whether every byte that looks like a character of ASCII is one.
    ///
    /// Only UTF-16 and UTF-32 have zero bytes, and `ESC $` begins Japanese, Chinese or Korean text in ISO 2022.
    private static func isReadable(_ data: Data, _ contentType: String?) -> Bool {
        guard !data.contains(0), data.range(of: Data([0x1B, 0x24])) == nil else { return false }
        let charsets = HeaderList.members(of: contentType ?? "").compactMap { MediaType($0)?.parameters["charset"] }
        return (charsets.isEmpty ? ["utf-8"] : charsets).allSatisfy { TextEncoding.keepsASCII(data, charset: $0) }
    }

    /// Returns whether a body without a type is JSON, in any encoding.
    private static func beginsAsJSON(_ data: Data) -> Bool {
        data.first { $0 > 0x20 && $0 < 0x80 }.map { "{[\"".utf8.contains($0) } ?? false
    }

    /// Returns the media type without its parameters, in lower case.
    ///
    /// Any of several may apply, as in a doubled field, so it is the one with the most secrets to mask.
    package static func name(of contentType: String?) -> String? {
        guard let contentType else { return nil }
        let names = contentType.split(separator: ",").map {
            String($0.prefix { $0 != ";" }).lowercased().trimmingCharacters(in: .whitespaces)
        }
        return names.first { $0.hasPrefix("multipart/") } ?? names.first { $0 == formType }
            ?? names.first { isText($0) } ?? names.first ?? ""
    }

    /// Returns whether a body of a type is text.
    ///
    /// A body without a type may be text.
    package static func isText(_ type: String?) -> Bool {
        guard let type else { return true }
        return type.hasPrefix("text/") || textTypes.contains(type) || isJSON(type) || type.hasSuffix("+xml")
    }

    /// Returns whether the name of a type says that it is JSON, such as `application/x-amz-json-1.1`.
    ///
    /// A suffix decides, because `+protobuf` and `+zip` are not text.
    private static func isJSON(_ type: String) -> Bool {
        let format = type.split(separator: "/").last?.split(separator: "+").last ?? ""
        return format.split { !$0.isLetter }.contains { jsonWords.contains($0) }
    }

    private static let jsonWords: Set<Substring> = ["json", "jsonl", "jsonlines", "ndjson"]

    private static let formType = "application/x-www-form-urlencoded"

    private static let textTypes: Set<String> = ["application/csp-report", "application/xml", formType]
}
