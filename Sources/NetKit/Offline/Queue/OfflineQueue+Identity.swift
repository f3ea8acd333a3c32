import Foundation

extension OfflineQueue {
    /// Lets the entries wait whose identity the client does not have now, and lets the others continue.
    func compareIdentities() {
        guard !scheduler.identities.isEmpty || !pauses.refusedLanes.isEmpty, let sender = sender.withLock({ $0 }) else {
            return
        }
        let names = (sender as? any IdentityKnowing)?.identityNames
        if let names, !pauses.refusedLanes.isEmpty { resumeLanes(ofIdentitiesExcept: names.settled) }
        scheduler.compareIdentities(with: names?.all, at: configuration.clock.now)
        for id in scheduler.takeNewlyHeld() {
            guard let item = scheduler[id], scheduler.isHeld(item), history.announce(id),
                let identity = scheduler.identity(of: item.entry)
            else { continue }
            emit(OfflineEvent(.waitingForIdentity, item.entry, reason: identity.waitingReason))
        }
    }

    /// Resumes lanes whose credential was refused under an identity that the client no longer has.
    private func resumeLanes(ofIdentitiesExcept names: Set<ExactText>) {
        let others = pauses.refusedLanes.filter { !names.contains(ExactText($0.key.name)) }
        for lane in others.flatMap(\.value).ordered() { endRefusal(in: lane) }
    }

    /// Returns the identity under which a client would send a request; `nil` if it has none or cannot tell.
    nonisolated func login(
        for request: @autoclosure () -> HTTPRequest,
        by sender: (any RequestSending)?
    ) -> CredentialIdentity? {
        guard let knowing = sender as? any IdentityKnowing, knowing.mayAddCredentials,
            case .known(let login) = knowing.identity(of: request(), tags: CallTags())
        else { return nil }
        return login
    }

    /// Puts back an entry that was not sent because the client has another identity; nothing about it changes or is
    /// written.
    ///
    /// If the login changed only while the entry was being sent, the entry keeps its place. Otherwise later entries of
    /// its identity would overtake it.
    func putBackUntilIdentity(_ entry: OfflineEntry, _ request: QueuedRequest) async {
        let (now, knowing) = (configuration.clock.now, sender.withLock { $0 } as? any IdentityKnowing)
        if let identity = scheduler.identity(of: entry),
            knowing?.identityNames?.all.contains(ExactText(identity.name)) ?? true
        {
            // The client may refuse what it seems to send, so the number of immediate attempts is bounded.
            if history[entry.id].mayTryAtOnce, login(for: request.request, by: knowing)?.continues(identity) ?? false {
                history[entry.id].instantRefusals += 1
                return await putBack(entry)
            }
            // The client has the identity, but not for this request, or cannot tell. It is asked again later.
            let time = now.advanced(by: configuration.refreshInterval)
            scheduler.separate(entry.id, into: IdentityGroup(identity: identity, host: request.host), until: time)
        }
        await putBack(entry)
    }

    /// Returns the identity that a new entry requires, as stated by its caller, its call or the sender.
    nonisolated func requiredIdentity(
        of request: QueuedRequest,
        madeUnder identity: RequestIdentity?
    ) -> CredentialIdentity? {
        var known: CredentialIdentity?
        if let identity {
            if case .known(let found) = identity { known = found }
        } else {
            known = login(for: request.request, by: sender.withLock { $0 })
        }
        guard let name = request.identity else { return known }
        // No credential is added, so the request belongs to no identity.
        if known == nil, !request.requiresAuth { return nil }
        let isRandom = known.map { $0.name.isExactly(name) && !$0.isLasting } ?? false
        return CredentialIdentity(name, isLasting: !isRandom)
    }
}

extension QueuedRequest {
    /// The host, for the group of entries that the client refuses.
    var host: String { URL(text: endpoint)?.host() ?? "" }
}

extension CredentialIdentity {
    fileprivate var waitingReason: String {
        guard !isLasting else { return "It is sent when the client has the identity \"\(name)\" again." }
        return "The login that enqueued this entry has ended and had no name; it is sent after a restart. Name the "
            + "identity with the parameter `identity:` of TokenStore."
    }
}
