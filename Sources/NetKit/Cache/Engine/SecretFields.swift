/// The fields of a response that never reach a disk.
struct SecretFields: Sendable, Equatable {
    /// Their names, in lower case.
    private(set) var names: Set<String> = []
    /// A Boolean value that indicates whether a field has a URL with a secret that a caller may request next.
    ///
    /// A disk keeps no such response: with the URL masked it would be another response, and without the field a walk over
    /// pages would end too early.
    private(set) var leadsOn = false

    /// The fields that are secret, or have a URL with a secret in it.
    init(in headers: HTTPHeaders, _ redaction: Redaction) {
        for field in headers.fields {
            if redaction.isSensitive(header: field.name) {
                names.insert(field.name.lowercased())
            } else if redaction.hasSecretURL(field) {
                let name = field.name.lowercased()
                names.insert(name)
                // It says where the response itself is.
                if name != "content-location" { leadsOn = true }
            }
        }
    }

    /// Returns whether a field is secret.
    func contains(_ name: String) -> Bool { names.contains(name) }

    /// The fields of two responses.
    func union(_ other: SecretFields) -> SecretFields {
        var all = self
        all.names.formUnion(other.names)
        all.leadsOn = leadsOn || other.leadsOn
        return all
    }
}

extension SecretFields: ExpressibleByArrayLiteral {
    /// Creates a list of secret fields without URLs from names in lower case.
    init(arrayLiteral elements: String...) {
        names = Set(elements)
    }
}
