/// The fields of a response that are stored (RFC 9111, section 3.1), and those that a later one replaces (section 3.2).
enum StoredFields {
    private static let unstored: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "transfer-encoding", "upgrade",
        // Kept as a number, and written again for each response.
        "age",
    ]
    /// The fields that belong to the stored body, and not to the response that confirms it.
    private static let bodyFields: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// Returns the fields to keep.
    static func kept(_ headers: HTTPHeaders, control: CacheControl) -> HTTPHeaders {
        var dropped = connectionFields(of: headers)
        dropped.formUnion(control.noCacheFields)
        return HTTPHeaders(
            headers.fields.filter { field in
                let name = field.name.lowercased()
                return !unstored.contains(name) && !dropped.contains(name)
            }
        )
    }

    /// Returns the kept fields, updated with those of a newer response about the same body.
    static func updated(_ kept: HTTPHeaders, with newer: HTTPHeaders) -> HTTPHeaders {
        let control = CacheControl(newer)
        let replacing = StoredFields.kept(newer, control: control).fields.filter {
            !bodyFields.contains($0.name.lowercased())
        }
        var updated = kept
        updated.set(contentsOf: HTTPHeaders(replacing))
        // `no-cache` of one response may name a field of the other.
        return StoredFields.kept(updated, control: CacheControl(updated))
    }

    private static func connectionFields(of headers: HTTPHeaders) -> Set<String> {
        Set(headers.values(of: "Connection").flatMap(HeaderList.words).map { $0.lowercased() })
    }
}

/// The fields of a response that never reach a disk.
struct SecretFields: Sendable, Equatable {
    /// Their names, in lower case.
    private(set) var names: Set<String> = []
    /// Whether a field links to a URL with a secret, which a caller may request next.
    ///
    /// A disk keeps no such response. With a masked URL it would be a different response, and without the field an
    /// iteration over pages would end too early.
    private(set) var hasSecretLink = false

    /// Creates the set of fields that are secret, or have a URL with a secret in it.
    init(in headers: HTTPHeaders, _ redaction: Redaction) {
        for field in headers.fields {
            if redaction.isSensitive(header: field.name) {
                names.insert(field.name.lowercased())
            } else if redaction.hasSecretURL(field) {
                let name = field.name.lowercased()
                names.insert(name)
                // `Content-Location` is the URL of the response itself.
                if name != "content-location" { hasSecretLink = true }
            }
        }
    }

    /// Returns whether a field is secret.
    func contains(_ name: String) -> Bool { names.contains(name) }

    /// Returns the secret fields of two responses.
    func union(_ other: SecretFields) -> SecretFields {
        var all = self
        all.names.formUnion(other.names)
        all.hasSecretLink = hasSecretLink || other.hasSecretLink
        return all
    }
}

extension SecretFields: ExpressibleByArrayLiteral {
    /// Creates a list of secret fields without URLs from names in lower case.
    init(arrayLiteral elements: String...) { names = Set(elements) }
}
