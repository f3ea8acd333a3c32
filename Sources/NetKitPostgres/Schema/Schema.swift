import Foundation
import NetKit

/// The schema of NetKit's tables and functions, under its name.
struct Schema: Sendable {
    let name: String
    /// The name as SQL writes it.
    private let quoted: String

    /// Creates a schema.
    ///
    /// - Throws: `.invalidConfiguration` for a name that would have to be escaped somewhere.
    init(_ name: String) throws {
        let allowed = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "_")
        }
        guard allowed, (1...40).contains(name.utf8.count), name.first?.isNumber == false, !name.hasPrefix("pg_") else {
            throw NetKitError(
                .invalidConfiguration,
                "The schema's name is \"\(name)\". It consists of at most 40 lower-case letters, digits and underscores, "
                    + "begins with a letter, and not with pg_."
            )
        }
        self.name = name
        quoted = name == "netkit" ? name : "\"\(name)\""
    }

    /// Returns a text of SQL, in which the schema is called `netkit`, with the schema's name.
    func naming(_ text: String) -> String {
        guard name != "netkit" else { return text }
        return text.replacing("netkit_", with: "\(name)_").replacing("netkit.", with: "\(quoted).")
            .replacing("SCHEMA netkit", with: "SCHEMA \(quoted)").replacing("'netkit'", with: "'\(name)'")
    }

    /// Returns the name of a channel for notices.
    func channel(_ topic: String) -> String { "\(name)_\(topic)" }
}
