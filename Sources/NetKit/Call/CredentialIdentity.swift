/// The identity that a credential stands for: a stable name, never the credential itself.
///
/// Two identities are the same only if their names have the same bytes.
public struct CredentialIdentity: Hashable, Sendable {
    private let exactName: ExactText
    private let exactProvisionalName: ExactText?
    /// Whether the name means the same in the next process; a random name does not.
    public let isLasting: Bool

    /// Creates an identity.
    public init(_ name: String, isLasting: Bool = true) {
        self.init(name, isLasting: isLasting, provisionalName: nil)
    }

    init(_ name: String, isLasting: Bool, provisionalName: String?) {
        exactName = ExactText(name)
        exactProvisionalName = provisionalName.map { ExactText($0) }
        self.isLasting = isLasting
    }

    /// The name, such as that of a user or a tenant.
    public var name: String { exactName.text }

    /// The name before the first credential existed; calls that waited for the credential may have begun under it.
    var provisionalName: String? { exactProvisionalName?.text }

    /// Creates a unique identity for credentials that have no name.
    static func random(_ prefix: String) -> CredentialIdentity {
        CredentialIdentity("\(prefix)-\(RandomSource.system.uuidText())", isLasting: false)
    }

    /// Returns whether a call that began under an earlier identity may use a credential of this one.
    func continues(_ earlier: CredentialIdentity) -> Bool {
        exactName == earlier.exactName || exactProvisionalName == earlier.exactName
    }
}
