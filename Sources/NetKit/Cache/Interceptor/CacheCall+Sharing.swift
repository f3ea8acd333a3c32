import Foundation

extension CacheCall {
    /// Fetches the response, in an exchange of its own or in one that another call makes for it.
    ///
    /// `revalidates` says whether the server is asked about the stored response, rather than for a whole one.
    /// `landings` is the number of shared exchanges that had ended before the store was read.
    func fetch(
        _ lookup: LookupResult,
        revalidates: Bool,
        _ reason: CacheForward,
        landings: UInt64
    ) async throws -> HTTPResponse {
        let token = await cache.token(for: lookup.primary, context)
        switch join(lookup, revalidates: revalidates, token: token, landings: landings) {
        case .lookAgain: return try await readAgain(.onceMore)
        case .wait(let flight): return try await waitForResponse(of: flight, lookup, reason: reason)
        case .alone: return try await perform(Exchange(lookup, revalidates: revalidates, reason, token, at: now))
        case .lead(let flight):
            let exchange = Exchange(lookup, revalidates: revalidates, reason, token, flight, at: now)
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
        landings: UInt64
    ) -> CacheFlights.Entry {
        var entry = CacheFlights.Entry.alone
        if let token, mayShare, waiting != .noMore {
            let key = CacheFlights.Key(
                entry: lookup.primary,
                variants: lookup.variants?.keys(in: cacheRequest.headers, of: lookup.primary, secret: cache.secret)
                    ?? [],
                generation: token.wholeGeneration
            )
            entry = cache.flights.join(key, context.call, seen: waiting == .notYet ? landings : nil)
        }
        // A miss counts once for each call, unless there is a stored response to ask about.
        if case .lookAgain = entry { return entry }
        let isFirst = waiting == .notYet || waiting == .onceMore
        if !revalidates, isFirst { bookkeeping.count { $0.misses += 1 } }
        return entry
    }

    /// Waits for the exchange of another call, and uses its result if possible.
    @inline(never)
    private func waitForResponse(
        of flight: CacheFlight,
        _ lookup: LookupResult,
        reason: CacheForward
    ) async throws -> HTTPResponse {
        let landing = try await flight.landing(for: context)
        let response: HTTPResponse? =
            switch landing {
            case .response(let found, let varying): shared(found, varying, lookup, reason: reason)
            case .serverFailure(let status): standIn(lookup, reason, status)
            case .failure: standIn(lookup, reason, nil)
            case .abandoned, .unusable: nil
            }
        if let response { return try await delivered(response) }
        switch landing {
        case .failure(let error): throw error
        case .abandoned: return try await readAgain(.again)
        case .response, .serverFailure, .unusable: return try await readAgain(.noMore)
        }
    }

    /// Whether the call may wait for an earlier exchange, and others for its own.
    private var mayShare: Bool {
        guard cacheRequest.method == .get, cacheRequest.range == nil, !cacheRequest.hasCondition,
            !cacheRequest.control.noStore, !cacheRequest.wantsConfirmation
        else { return false }
        return (policy.kind == .standard || policy.kind == .cacheFirst) && context.call.mayShareExchanges
    }

    @inline(never)
    private func readAgain(_ waiting: Waiting) async throws -> HTTPResponse {
        var call = self
        call.waiting = waiting
        return try await call.read()
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

    /// Returns the landing of an exchange that brought a response that may be stored.
    func landing(of found: StoredMatch, varyingBy names: [String]) -> CacheFlight.Landing {
        guard case .use = decision(about: LookupResult(primary: found.key, found: found), now) else {
            return .unusable(isLasting: true)
        }
        return .response(found, varyingBy: CacheFlight.VaryingFields(names: names, headers: cacheRequest.headers))
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

    /// Returns the response of another call's exchange; `nil` if this request cannot use it.
    private func shared(
        _ found: StoredMatch,
        _ varying: CacheFlight.VaryingFields,
        _ lookup: LookupResult,
        reason: CacheForward
    ) -> HTTPResponse? {
        let now = now
        let seen = LookupResult(primary: lookup.primary, variants: lookup.variants, found: found)
        guard varying.match(cacheRequest.headers), case .use = decision(about: seen, now) else { return nil }
        let status = CacheStatusText.collapsed(reason, status: found.response.status)
        let headers = found.response.headers(at: now, status: status)
        guard let response = response(from: found, headers: headers, now: now) else { return nil }
        bookkeeping.count { $0.sharedExchanges += 1 }
        return response
    }
}
