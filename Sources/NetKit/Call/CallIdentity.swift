/// The identity under which a call is made, decided once when the call begins.
///
/// Every attempt, replay, refresh, hedge, shared exchange and background revalidation of the call carries it, and only
/// this type compares it with the current credential. The cache and coalescing keep responses apart by it. Calls that
/// belong together share it: see `CallSequence`.
struct CallIdentity: Hashable, Sendable {
    /// The identity of each interceptor that adds a credential, in the order of the chain; `nil` for an interceptor
    /// that names none.
    private var identities: [CredentialIdentity?]

    /// Creates an identity; without a chain, such as in a test of one interceptor, nothing is compared.
    init(_ identities: [CredentialIdentity?] = []) { self.identities = identities }

    /// The identity of an interceptor that adds a credential.
    subscript(position: Int) -> CredentialIdentity? {
        get { identities.indices.contains(position) ? identities[position] : nil }
        set { if identities.indices.contains(position) { identities[position] = newValue } }
    }

    /// Returns the identity of a request to which the interceptors at some positions add a credential.
    ///
    /// It is combined from theirs, and unknown if that of any of them is unknown.
    func ofRequest(addingAt positions: some Collection<Int>) -> RequestIdentity {
        guard let first = positions.first else { return .anonymous }
        guard positions.count > 1 else { return self[first].map { .known($0) } ?? .unknown }
        var (name, provisional, isLasting, isRenamed) = ("", "", true, false)
        for position in positions {
            guard let identity = self[position] else { return .unknown }
            name += "\(identity.name.utf8.count):\(identity.name),"
            let earlier = identity.provisionalName ?? identity.name
            provisional += "\(earlier.utf8.count):\(earlier),"
            isRenamed = isRenamed || identity.provisionalName != nil
            isLasting = isLasting && identity.isLasting
        }
        return .known(CredentialIdentity(name, isLasting: isLasting, provisionalName: isRenamed ? provisional : nil))
    }

    /// Returns whether a call that began under an earlier identity may use the credentials of this one.
    func continues(_ earlier: CallIdentity) -> Bool {
        zip(identities, earlier.identities).allSatisfy { now, then in
            guard let then else { return true }
            return now?.continues(then) ?? false
        }
    }

    /// Throws `.unauthorized`, with an `IdentityChange` as its cause, if a credential stands for another identity than
    /// when the call began.
    ///
    /// `position` is that of the interceptor that adds the credential.
    func verify(_ current: CredentialIdentity?, at position: Int, of call: Call) throws {
        guard let began = self[position] else { return }
        guard let current, current.continues(began) else { throw IdentityChange.error(outcome: call.outcome) }
        guard current.name != began.name else { return }
        // Earlier entries of this login may have waited for it as well, so the queue or its interceptor decides again.
        if call.isReplay || call.endsAtLogin && call.outcome == .notSent {
            throw IdentityChange.error(outcome: call.outcome)
        }
        call.sequence?.note(current, at: position)
    }
}

/// The identity under which one request is sent.
enum RequestIdentity: Equatable, Sendable {
    /// No credential is added.
    case anonymous
    /// The identity that all added credentials together stand for.
    case known(CredentialIdentity)
    /// A credential is added that names no identity.
    case unknown
}
