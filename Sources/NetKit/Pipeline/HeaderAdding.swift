import Foundation

/// An interceptor that declares which header fields it adds to requests.
///
/// The cache and coalescing do not see the fields that a later interceptor adds, although a response may depend on
/// them. Adopt this protocol for an interceptor of your own that comes later, with an empty set if it adds nothing,
/// because `explain()` warns about an interceptor that declares nothing. Without an `ETag`, a download continues the
/// part of an earlier call only if every interceptor of yours declares its fields. An interceptor that adds a
/// credential adopts `CredentialAdding` instead.
public protocol HeaderAdding: Interceptor {
    /// The names of the header fields that the interceptor adds.
    var addedHeaderNames: Set<String> { get }
}

extension ClientInspection {
    /// Returns warnings about interceptors that add unknown fields after one that stores or shares responses.
    ///
    /// `participle` says what that one does with responses, such as "stored".
    func warningsAboutAdders<Sharer: Interceptor>(after sharer: Sharer.Type, _ participle: String) -> [String] {
        let request = HTTPRequest(.get, baseURL ?? URL(fileURLWithPath: "/"))
        // Those of its own stage that come later in the list count as well.
        return interceptors.drop(while: { !($0 is Sharer) }).dropFirst().compactMap { interceptor in
            let name = String(describing: type(of: interceptor))
            switch interceptor {
            case let adder as any CredentialAdding:
                guard adder.identity(for: request, tags: CallTags()) == nil else { return nil }
                return "\(name) names no identity for its credential, so no response of its requests is \(participle). "
                    + "Give it an identity."
            case let adder as any HeaderAdding:
                let secret = adder.addedHeaderNames.filter { redaction.isSensitive(header: $0) }.ordered()
                guard let first = secret.first else { return nil }
                return
                    "\(name) adds \(first), a credential, after \(sharer), to which responses for different users then "
                    + "look alike. Adopt CredentialAdding."
            default:
                guard !interceptor.isBuiltIn else { return nil }
                return
                    "\(name) comes after \(sharer) and does not declare which header fields it adds. Adopt HeaderAdding, or "
                    + "CredentialAdding if one of them is a credential."
            }
        }
    }
}
