/// Calls that belong together, such as the connections of a stream, and must not outlive the login of the first one.
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
    private let first = Locked<Beginning?>(nil)

    /// Returns the identity of a call that begins now.
    ///
    /// If the first call would have another identity by now, the identity that it began with is returned. The current
    /// credential does not match it, so the new call fails.
    func identity(
        of request: HTTPRequest,
        tags: CallTags,
        current: (HTTPRequest, CallTags) -> CallIdentity
    ) -> CallIdentity {
        let own = current(request, tags)
        let earlier = first.withLock { first -> Beginning? in
            guard first == nil else { return first }
            var head = request
            head.body = nil
            first = Beginning(request: head, tags: tags, identity: own)
            return nil
        }
        guard let earlier else { return own }
        return current(earlier.request, earlier.tags).continues(earlier.identity) ? own : earlier.identity
    }

    /// Notes the identity of the first login, for which a call has waited.
    ///
    /// If the same user logs out and in again, later calls continue.
    func note(_ login: CredentialIdentity, at position: Int) {
        first.withLock { $0?.identity[position] = login }
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
