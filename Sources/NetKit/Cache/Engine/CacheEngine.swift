import Foundation

/// The decisions of RFC 9111 for a private cache, as functions of time, request, stored response and policy.
enum CacheEngine {}

extension CacheEngine {
    /// Returns the decision about a request.
    ///
    /// `stored` is the stored response that matches its `Vary` fields, if any, and `miss` the reason to report if
    /// nothing is stored.
    static func decide(
        now: Date,
        cacheRequest: CacheRequest,
        stored: StoredResponse?,
        miss: CacheForward = .uriMiss,
        policy: CachePolicy = .standard,
        settings: CacheSettings = CacheSettings()
    ) -> CacheDecision {
        if policy.kind == .noCache { return .fetch(.bypass) }
        guard cacheRequest.isRead else { return .fetch(.method) }
        guard let stored else { return decideWithoutStored(cacheRequest, policy, .absent, miss) }
        if cacheRequest.hasServerCondition || cacheRequest.control.noStore || policy.kind == .reload {
            return decideWithoutStored(cacheRequest, policy, .absent, .request)
        }
        let life = life(of: stored, policy: policy, settings: settings)
        let age = stored.age(at: now)
        let needsConfirmation =
            cacheRequest.wantsConfirmation || stored.control.noCache || policy.kind == .networkFirst
        let isWithinAsked = isAcceptable(age: age, life: life, cacheRequest: cacheRequest, stored: stored)
        if !needsConfirmation, isWithinAsked, age < life { return .use(.fresh) }
        let staleness = age - life
        if !needsConfirmation, !stored.forbidsStale, staleness >= 0 {
            if let maxStale = cacheRequest.control.maxStale, isYoungEnough(age, cacheRequest),
                staleness <= Double(maxStale)
            {
                return .use(.stale)
            }
            if isWithinAsked, policy.kind != .cacheOnly, !cacheRequest.control.onlyIfCached,
                staleness < Double(stored.control.staleWhileRevalidate ?? 0)
            {
                return .use(.staleWhileRefreshing)
            }
            if policy.kind == .cacheOnly, policy.ttl.map({ age < max($0.inSeconds, life) }) ?? true {
                return .use(.stale)
            }
        }
        // The caller's own conditions are sent unchanged: the response to them is for the caller.
        let asks = stored.hasValidator && !cacheRequest.hasCondition
        return decideWithoutStored(cacheRequest, policy, .expired, staleness >= 0 ? .stale : .request, asks: asks)
    }

    /// Returns the decision if no stored response can be used.
    ///
    /// `miss` is the cause of the error if nothing may be sent, `reason` the reason for forwarding the request, and
    /// `asks` says whether the server is asked about the stored response.
    static func decideWithoutStored(
        _ cacheRequest: CacheRequest,
        _ policy: CachePolicy,
        _ miss: CacheMiss,
        _ reason: CacheForward,
        asks: Bool = false
    ) -> CacheDecision {
        if policy.kind == .cacheOnly { return .miss(miss) }
        if cacheRequest.control.onlyIfCached { return .gatewayTimeout(reason) }
        return asks ? .revalidate(reason) : .fetch(reason)
    }

    /// Returns the lifetime of a response under a policy.
    ///
    /// The server's lifetime comes first, then the call's, then the one that the response was stored with. With
    /// `.cacheFirst`, the default replaces a guessed or unknown lifetime.
    static func life(of stored: StoredResponse, policy: CachePolicy, settings: CacheSettings) -> Double {
        if stored.life.source == .server || !stored.status.takesTTL { return stored.life.seconds }
        if let ttl = policy.ttl { return max(0, ttl.inSeconds) }
        if stored.life.source == .caller || policy.kind != .cacheFirst { return stored.life.seconds }
        return settings.defaultTTL
    }

    private static func isAcceptable(age: Double, life: Double, cacheRequest: CacheRequest, stored: StoredResponse)
        -> Bool
    {
        if let minFresh = cacheRequest.control.minFresh, life - age < Double(minFresh) { return false }
        // A reload sends `max-age=0`, but an immutable response needs no confirmation (RFC 8246).
        if stored.control.isImmutable, age < life { return true }
        return isYoungEnough(age, cacheRequest)
    }

    private static func isYoungEnough(_ age: Double, _ cacheRequest: CacheRequest) -> Bool {
        guard let maxAge = cacheRequest.control.maxAge else { return true }
        return maxAge > 0 && age <= Double(maxAge)
    }

    /// Returns whether the stored response may replace a failure (RFC 9111, section 4.3.3, and RFC 5861, section 4).
    ///
    /// `isDisconnected` says that the server could not be reached, rather than responding with an error.
    static func mayCoverFailure(
        now: Date,
        cacheRequest: CacheRequest,
        stored: StoredResponse,
        isDisconnected: Bool,
        policy: CachePolicy,
        settings: CacheSettings
    ) -> Bool {
        guard policy.kind != .noCache, policy.kind != .reload, !cacheRequest.control.noStore, !cacheRequest.hasCondition
        else {
            return false
        }
        guard !stored.control.noCache, !cacheRequest.wantsConfirmation else { return false }
        let age = stored.age(at: now)
        let life = life(of: stored, policy: policy, settings: settings)
        if policy.kind == .networkFirst {
            if age < life { return true }
            if stored.control.mustRevalidate { return false }
            return policy.ttl.map { age < max($0.inSeconds, life) } ?? true
        }
        if stored.control.mustRevalidate, age >= life { return false }
        let window = max(stored.control.staleIfError ?? -1, cacheRequest.control.staleIfError ?? -1)
        if window >= 0, age - life <= Double(window) { return true }
        return isDisconnected && settings.servesStaleWhenDisconnected
    }

    /// Returns whether a status counts as a failure that a stored response may replace (RFC 5861, section 4).
    ///
    /// An unknown status such as 522, which some gateways send, counts as 500 (RFC 9110, section 15).
    static func isFailure(_ status: HTTPStatus) -> Bool {
        switch status.code {
        case 500, 502, 503, 504: true
        default: status.isServerError && status.reasonPhrase.isEmpty
        }
    }

    /// Returns whether an error stands for a failure that a stored response may replace.
    static func isFailure(_ error: any Error) -> Bool {
        (error as? NetKitError)?.status.map { isFailure($0) } ?? isDisconnection(error)
    }

    /// Returns whether an error means that no usable response arrived, rather than a wrong or ended call.
    static func isDisconnection(_ error: any Error) -> Bool {
        guard !Task.isCancelled, let code = (error as? NetKitError)?.code else { return false }
        let codes: Set<NetKitError.Code> = [
            .timeout, .offline, .dns, .connect, .proxy, .connectionLost, .circuitOpen, .rateLimited, .queueFull,
            .invalidResponse,
        ]
        return codes.contains(code)
    }
}

/// The settings for decisions, besides request, response and policy.
struct CacheSettings: Sendable {
    /// The lifetime, with `.cacheFirst`, of a response that states none and has no TTL.
    var defaultTTL = 3600.0
    /// Whether a stale response is used if the server cannot be reached.
    ///
    /// RFC 9111, section 4.2.4, allows this without the permission of the server.
    var servesStaleWhenDisconnected = false
}
