import Foundation
import NetKit

/// An object in a HAR file, whose place an error names.
struct HARValue {
    let value: JSONValue
    let place: String

    /// Returns a member, or `nil` if it is missing or null.
    ///
    /// It throws an error if the member has another type.
    private func member<Part>(_ name: String, _ type: String, _ read: (JSONValue) -> Part?) throws -> Part? {
        guard let member = value[name], member != .null else { return nil }
        guard let part = read(member) else { throw damage(name, "is not \(type)") }
        return part
    }

    func object(_ name: String) throws -> HARValue? {
        try member(name, "an object") { $0.object == nil ? nil : HARValue(value: $0, place: "\(place).\(name)") }
    }

    func string(_ name: String) throws -> String? { try member(name, "a string", \.string) }

    /// Returns a status; 0 if there is none.
    func status(_ name: String) throws -> HTTPStatus {
        let code = try member(name, "a status") { $0.int.flatMap { $0 == 0 || 100...999 ~= $0 ? $0 : nil } }
        return HTTPStatus(code ?? 0)
    }

    /// Returns the names and values of header fields.
    func fields(_ list: String) throws -> [(name: String, value: String)] {
        let fields: [JSONValue] = try member(list, "a list", \.array) ?? []
        return try fields.enumerated().map { index, field in
            guard let name = field["name"]?.string, let value = field["value"]?.string else {
                throw damage("\(list)[\(index)]", "has no name and value")
            }
            return (name, value)
        }
    }

    /// Returns the bytes of a body; `nil` if they were not recorded completely.
    func bytes(encoding name: String) throws -> Data? {
        guard let text = try string("text"), value["_kept"] == nil else { return nil }
        guard try string(name) == "base64" else { return Data(text.utf8) }
        // Line breaks are allowed.
        guard let bytes = Data(base64Encoded: Data(text.utf8.filter { $0 > 0x20 })) else {
            throw damage("text", "is not Base64")
        }
        return bytes
    }

    private func damage(_ name: String, _ problem: String) -> NetKitError {
        let part = "\(place).\(name)"
        return NetKitError(.decoding, "The file is not a HAR file: \(part) \(problem).", codingPath: part)
    }
}
