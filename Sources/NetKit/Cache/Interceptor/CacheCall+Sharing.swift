import Foundation

extension CacheCall {
    /// Fetches the response, in an exchange of its own or in one that another call makes for it.
    ///
    /// `revalidates` says whether the server is asked about the stored response, rather than for a whole one.
    func fetch(
        _ lookup: LookupResult,
        revalidates: Bool,
        _ reason: CacheForward,
        _ round: CacheRound
    ) async throws -> HTTPResponse {
        let token = await cache.token(for: lookup.primary, context)
        switch join(lookup, revalidates: revalidates, token: token, round) {
        case .lookAgain: return try await read(.second)
        case .wait(let flight):
            let landing = try await flight.landing(for: context)
            if let response = response(after: landing, lookup, reason) { return try await deliver(response) }
            return try await read(CacheRound(after: landing))
        case .alone: return try await perform(Exchange(lookup, revalidates: revalidates, reason, token))
        case .lead(let flight):
            let exchange = Exchange(lookup, revalidates: revalidates, reason, token, flight)
            return try await performForAll(exchange, flight)
        }
    }

    // The steps are not inlined into each other, so that a waiting call does not hold the memory of all of them.

    /// Joins or begins a shared exchange, if there may be one, and counts the miss.
    @inline(never)
    private func join(
        _ lookup: LookupResult,
        revalidates: Bool,
        token: CacheWriteToken?,
        _ round: CacheRound
    ) -> CacheFlights.Entry {
        var entry = CacheFlights.Entry.alone
        if let token, mayShare, round != .last {
            let key = CacheFlights.Key(
                entry: lookup.primary,
                variants: lookup.variants?.keys(in: cacheRequest.headers, of: lookup.primary, secret: cache.secret)
                    ?? [],
                generation: token.wholeGeneration
            )
            entry = cache.flights.join(key, context.call, seen: round.endedExchanges)
        }
        if case .lookAgain = entry { return entry }
        // A call counts no miss if there is a stored response to ask about.
        if !revalidates, round.countsMiss { bookkeeping.count { $0.misses += 1 } }
        return entry
    }

    /// Returns the response after waiting for the exchange of another call; `nil` if this one cannot use its result.
    @inline(never)
    private func response(
        after landing: CacheFlight.Landing,
        _ lookup: LookupResult,
        _ reason: CacheForward
    ) -> HTTPResponse? {
        switch landing {
        case .response(let found, let varying):
            let now = now
            let seen = LookupResult(primary: lookup.primary, variants: lookup.variants, found: found)
            guard varying.match(cacheRequest.headers), case .use = decision(about: seen, now) else { return nil }
            let status = CacheStatusText.collapsed(reason, status: found.response.status)
            let headers = found.response.headers(at: now, status: status)
            guard let response = response(from: found, headers: headers, now: now) else { return nil }
            bookkeeping.count { $0.sharedExchanges += 1 }
            return response
        case .serverFailure(let status): return standIn(lookup, reason, status)
        case .failure: return standIn(lookup, reason, nil)
        case .abandoned, .unusable: return nil
        }
    }

    /// Whether the call may wait for an earlier exchange, and others for its own.
    private var mayShare: Bool {
        guard cacheRequest.method == .get, cacheRequest.range == nil, !cacheRequest.hasCondition,
            !cacheRequest.control.noStore, !cacheRequest.wantsConfirmation
        else { return false }
        return (policy.kind == .standard || policy.kind == .cacheFirst) && context.call.mayShareExchanges
    }

    /// Makes the exchange, and lands its flight unless the body does that.
    @inline(never)
    private func performForAll(_ exchange: Exchange, _ flight: CacheFlight) async throws -> HTTPResponse {
        // The exchange may be in code that never returns, and other calls must not wait for it then.
        let stopping = WaitCancellation { _ in
            // A body lands the flight itself, and outlives the call for those that wait.
            if !flight.hasBody { flight.land(.abandoned) }
        }
        context.call.addWaiter(stopping)
        defer { context.call.removeWaiter(stopping) }
        do {
            let response = try await CacheFlights.$isLeading.withValue(true) { try await perform(exchange) }
            if !flight.hasBody { flight.land(.unusable(isLasting: false)) }
            return response
        } catch {
            flight.land(.unusable(isLasting: false))
            throw error
        }
    }

    /// Returns the landing of an exchange that failed.
    func landing(of error: any Error) -> CacheFlight.Landing {
        let isOver = context.deadline.map { $0 <= context.clock.now } ?? false
        if isOver || Task.isCancelled || context.call.isStopped { return .abandoned }
        // Only the deadline of this call kept it from another attempt, or from waiting for a permit.
        if context.call.attemptLog?.stop == .deadline || lacksTimeForPermit(error) { return .abandoned }
        return CacheEngine.isDisconnection(error) ? .failure(error) : .unusable(isLasting: false)
    }

    /// Returns whether a rate limit refused this call because the next permit is free after its deadline.
    private func lacksTimeForPermit(_ error: any Error) -> Bool {
        guard let error = error as? NetKitError, error.code == .rateLimited, let deadline = context.deadline,
            let wait = (error.cause as? ThrottleInfo)?.retryAfter
        else { return false }
        return context.clock.now.advanced(by: wait) >= deadline
    }

    /// Returns the landing of an exchange that brings a response that may be stored, as a function of the response.
    func landing(varyingBy names: [String]) -> @Sendable (StoredMatch) -> CacheFlight.Landing {
        { [cacheRequest, policy, settings = cache.settings, clock = context.clock] found in
            let decision = CacheEngine.decide(
                now: clock.date,
                cacheRequest: cacheRequest,
                stored: found.response,
                policy: policy,
                settings: settings
            )
            guard case .use = decision else { return .unusable(isLasting: true) }
            return .response(found, varyingBy: CacheFlight.VaryingFields(names: names, headers: cacheRequest.headers))
        }
    }

    /// Returns the sharing of a body that is still arriving.
    ///
    /// It is `nil` if the call leads no flight. It is also `nil`, and the flight has landed, if no other call may use
    /// the body or it is known to be too long.
    func sharing(
        of length: Int64?,
        in flight: CacheFlight?,
        _ landing: @escaping @Sendable (Data) -> CacheFlight.Landing
    ) -> SharedBody.Sharing? {
        guard let flight else { return nil }
        // The head alone shows whether other calls can use it.
        let expected = landing(Data())
        if case .unusable = expected {
            flight.land(expected)
            return nil
        }
        if let length, length > Int64(cache.flights.maxBodyBytes) {
            flight.land(.unusable(isLasting: true))
            return nil
        }
        return SharedBody.Sharing(flight: flight, flights: cache.flights, clock: context.clock, landing: landing)
    }
}
