import Foundation

extension CacheCall {
    /// Begins an exchange, and performs it.
    func exchange(
        _ lookup: LookupResult,
        revalidates: Bool,
        _ reason: CacheForward,
        _ flight: CacheFlight? = nil
    ) async throws -> HTTPResponse {
        let token = await cache.token(for: lookup.primary, context)
        return try await perform(Exchange(lookup, revalidates: revalidates, reason, token, flight))
    }

    /// Sends the request, and handles the response.
    @inline(never)
    func perform(_ exchange: Exchange) async throws -> HTTPResponse {
        let (lookup, reason) = (exchange.lookup, exchange.reason)
        let response: HTTPResponse
        do {
            response = try await next(sentRequest(of: exchange), context)
        } catch {
            exchange.flight?.land(landing(of: error))
            // The error of a call that was ended is no failure of the network.
            if !context.call.isStopped, CacheEngine.isDisconnection(error),
                let substitute = standIn(lookup, reason, nil)
            {
                return try await deliver(substitute)
            }
            throw error
        }
        if CacheEngine.isFailure(response.status), let substitute = standIn(lookup, reason, response.status) {
            exchange.flight?.land(.serverFailure(response.status))
            response.body.discard()
            return try await deliver(substitute)
        }
        if response.status == .notModified { return try await handleNotModified(response, exchange) }
        if cacheRequest.method == .head {
            await applyHead(response, exchange)
            return marked(response, reason, .notStored)
        }
        return try await store(response, exchange)
    }

    /// Returns the request, with conditions if the stored response is to be confirmed.
    func sentRequest(of exchange: Exchange) -> HTTPRequest {
        guard exchange.revalidates, let found = exchange.lookup.found else { return request }
        return CacheEngine.conditional(request, for: found.response)
    }

    /// Handles a 304, which confirms the stored response or responds to the caller's own conditions.
    private func handleNotModified(_ response: HTTPResponse, _ exchange: Exchange) async throws -> HTTPResponse {
        guard let found = exchange.lookup.found,
            exchange.revalidates || (isAbout(found.response, response.headers) && !cacheRequest.control.noStore),
            let stored = CacheEngine.confirm(found.response, by: renewal(by: response))
        else { return try await handleUnconfirmed(response, exchange) }
        let record = CacheRecord(head: CacheHead(.response(stored)), body: found.record.body)
        let renewed = StoredMatch(key: found.key, record: record, response: stored)
        let mayStay = CacheEngine.mayStay(stored, for: found.response)
        await updateEntry(renewed, mayStay, exchange)
        guard exchange.revalidates else { return marked(response, exchange.reason, mayStay ? .stored : .notStored) }
        response.body.discard()
        if isRenewal {
            // No caller reads the response of a renewal, so it needs no body.
            bookkeeping.count { $0.revalidations += 1 }
            return HTTPResponse(status: stored.status, url: request.url)
        }
        // Only a call with the same selecting fields asks about this response, because they are in the flight's key.
        exchange.flight?.land(mayStay ? landing(varyingBy: [])(renewed) : .unusable(isLasting: true))
        let now = now
        let left = timeLeft(of: stored, at: now)
        let status = CacheStatusText.revalidated(exchange.reason, status: .notModified, timeLeft: left)
        let headers = stored.headers(at: now, status: status)
        guard var whole = self.response(from: renewed, headers: headers, now: now) else {
            // The stored response turned out to be unreadable.
            return try await repeatWithoutMatch(exchange)
        }
        bookkeeping.count { $0.revalidations += 1 }
        whole.timings = response.timings
        whole.attemptLog = response.attemptLog
        return try await deliver(whole)
    }

    /// Replaces the head of a stored response by its renewed one, or removes the response if it may not stay.
    ///
    /// Not inlined, because what follows would be repeated for each wait.
    @inline(never)
    private func updateEntry(_ renewed: StoredMatch, _ mayStay: Bool, _ exchange: Exchange) async {
        if !mayStay {
            await cache.removeOlder(exchange, context)
        } else if let token = exchange.token {
            await cache.run(context) { try await $0.update(renewed.key, renewed.record.head, token: token) }
        }
    }

    /// Handles a 304 that does not confirm the stored response.
    private func handleUnconfirmed(_ response: HTTPResponse, _ exchange: Exchange) async throws -> HTTPResponse {
        guard exchange.revalidates else {
            // The caller's copy is current, and the stored response is a different one.
            if let found = exchange.lookup.found, CacheEngine.contradicts(found.response, response.headers) {
                await cache.removeOlder(exchange, context)
            }
            return marked(response, exchange.reason, .notStored)
        }
        // The server confirms something other than the stored response: only a full response helps.
        response.body.discard()
        await cache.removeOlder(exchange, context)
        return try await repeatWithoutMatch(exchange)
    }

    /// Makes the exchange again, as if no response were stored.
    private func repeatWithoutMatch(_ exchange: Exchange) async throws -> HTTPResponse {
        let lookup = LookupResult(primary: exchange.lookup.primary, variants: exchange.lookup.variants)
        return try await self.exchange(lookup, revalidates: false, exchange.reason, exchange.flight)
    }

    private func renewal(by response: HTTPResponse) -> CacheEngine.Renewal {
        CacheEngine.Renewal(
            headers: response.headers,
            secretNames: secretNames(in: response.headers),
            requestDate: requestDate(of: response),
            responseDate: now,
            policy: policy
        )
    }

    /// Returns whether a 304 to the caller's own conditions is about the stored response.
    private func isAbout(_ stored: StoredResponse, _ headers: HTTPHeaders) -> Bool {
        if let tag = EntityTag(of: headers), let own = stored.entityTag { return tag.matchesStrongly(own) }
        guard let changed = headers["Last-Modified"] else { return false }
        return stored.lastModified == changed
    }

    /// Applies the response to a HEAD to the stored response to a GET (RFC 9111, section 4.3.5).
    private func applyHead(_ response: HTTPResponse, _ exchange: Exchange) async {
        guard let token = exchange.token, let found = exchange.lookup.found, policy.kind != .noCache,
            !cacheRequest.control.noStore
        else { return }
        let status = response.status
        let isSame = found.response.status == status
        // Another status means another response, whatever the fields say, unless only the HEAD is not allowed.
        guard isSame ? status == .ok : CacheEngine.replaces(status) && status != .methodNotAllowed else { return }
        let updated = CacheEngine.refresh(found.response, byHead: renewal(by: response))
        await cache.run(context) { store in
            guard isSame, let updated, CacheEngine.mayStay(updated, for: found.response) else {
                return try await store.remove(found.key, token: token)
            }
            try await store.update(found.key, CacheHead(.response(updated)), token: token)
        }
    }

    /// Returns the stored response in place of a missing response or a server error; `nil` if it may not be used.
    func standIn(_ lookup: LookupResult, _ reason: CacheForward, _ status: HTTPStatus?) -> HTTPResponse? {
        let now = now
        guard let found = lookup.found,
            CacheEngine.mayCoverFailure(
                now: now,
                cacheRequest: cacheRequest,
                stored: found.response,
                isDisconnected: status == nil,
                policy: policy,
                settings: cache.settings
            )
        else { return nil }
        // No caller reads the response of a renewal, so it is no hit, and needs no body.
        if isRenewal { return HTTPResponse(status: found.response.status, url: request.url) }
        let left = timeLeft(of: found.response, at: now)
        let text = CacheStatusText.revalidated(reason, status: status, timeLeft: left)
        let headers = found.response.headers(at: now, status: text)
        guard let response = response(from: found, headers: headers, now: now) else { return nil }
        bookkeeping.count { counts in
            counts.hits += 1
            counts.staleHits += 1
        }
        return response
    }

    func marked(_ response: HTTPResponse, _ reason: CacheForward, _ keeping: CacheStatusText.Keeping) -> HTTPResponse {
        var response = response
        let status = CacheStatusText.forward(reason, status: response.status, keeping: keeping)
        response.headers.add("Cache-Status", status)
        return response
    }
}
