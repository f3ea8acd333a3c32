/// Calls that belong together, such as the connections of a stream: all are made under the identity of the first one.
final class CallSequence: Sendable {
    /// The identity; `nil` before the first call.
    private let began = Locked<CallIdentity?>(nil)

    /// Returns the identity of a call that begins now; the first one has the current identity.
    func identity(beginningWith current: CallIdentity) -> CallIdentity {
        began.withLock { began in
            let identity = began ?? current
            began = identity
            return identity
        }
    }

    /// Notes the identity of the first login, for which a call has waited.
    ///
    /// If the same user logs out and in again, later calls continue.
    func note(_ login: CredentialIdentity, at position: Int) {
        began.withLock { began in
            guard var identity = began else { return }
            identity[position] = login
            began = identity
        }
    }
}

extension CallOptions {
    /// Returns the options of calls that belong together.
    func inSequence() -> CallOptions {
        var options = self
        options.sequence = sequence ?? CallSequence()
        return options
    }
}
