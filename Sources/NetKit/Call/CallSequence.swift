/// Calls that belong together, such as the connections of a stream: all are made while the first one would still have
/// its identity.
///
/// The calls may have different identities, because an interceptor may derive them from the request.
final class CallSequence: Sendable {
    private struct Beginning {
        /// The first request, without its body.
        let request: HTTPRequest
        let tags: CallTags
        var identity: CallIdentity
    }

    /// The first call; `nil` before it.
    private let began = Locked<Beginning?>(nil)

    /// Returns the identity of a call that begins now.
    ///
    /// If the first call would have another identity by now, it is that of the first call, whose comparison with the
    /// credential then fails.
    func identity(
        of request: HTTPRequest,
        tags: CallTags,
        now: (HTTPRequest, CallTags) -> CallIdentity
    ) -> CallIdentity {
        let current = now(request, tags)
        let first = began.withLock { began -> Beginning? in
            guard began == nil else { return began }
            var head = request
            head.body = nil
            began = Beginning(request: head, tags: tags, identity: current)
            return nil
        }
        guard let first else { return current }
        return now(first.request, first.tags).continues(first.identity) ? current : first.identity
    }

    /// Notes the identity of the first login, for which a call has waited.
    ///
    /// If the same user logs out and in again, later calls continue.
    func note(_ login: CredentialIdentity, at position: Int) {
        began.withLock { $0?.identity[position] = login }
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
