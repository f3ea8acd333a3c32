import Foundation

/// An interceptor that declares which header fields it adds to requests.
///
/// The cache and coalescing do not see the fields that an interceptor adds in the stages `.retry` to `.wire`, although
/// a response may depend on them. Adopt this protocol for an interceptor of your own in one of these stages, with an
/// empty set if it adds nothing, because `explain()` warns about an interceptor that declares nothing. An interceptor
/// that adds a credential adopts `CredentialAdding` instead.
public protocol HeaderAdding: Interceptor {
    /// The names of the header fields that the interceptor adds.
    var addedHeaderNames: Set<String> { get }
}

extension ClientInspection {
    /// Returns warnings about interceptors that add unknown fields after a stage that stores or shares responses.
    ///
    /// `participle` says what the stage does with responses, such as "stored".
    func warningsAboutAdders(after stage: Stage, _ participle: String) -> [String] {
        let request = HTTPRequest(.get, baseURL ?? URL(fileURLWithPath: "/"))
        return interceptors.filter { $0.stage > stage }.compactMap { interceptor in
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
                    "\(name) adds \(first), a credential, after the \(stage) stage, where responses for different "
                    + "users then look alike. Adopt CredentialAdding."
            default:
                guard !interceptor.isBuiltIn else { return nil }
                return
                    "\(name) runs after the \(stage) stage and does not declare which header fields it adds. Adopt "
                    + "HeaderAdding, or CredentialAdding if one of them is a credential."
            }
        }
    }
}
