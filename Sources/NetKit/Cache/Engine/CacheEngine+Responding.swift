import Foundation

/// The decision about a response.
enum CacheVerdict {
    /// Stores the response, for requests with the same values in the named fields.
    case store(StoredResponse, vary: [String])
    /// The response is not stored.
    case pass
}

extension CacheEngine {
    /// The properties of an exchange whose body has not been read yet.
    struct Exchange: ~Copyable {
        var cacheRequest: CacheRequest
        var status: HTTPStatus
        var headers: HTTPHeaders
        var requestDate: Date
        var responseDate: Date
        var policy = CachePolicy.standard
        var hasQuery = false
        /// Names of fields that never reach a disk.
        var secretNames: SecretFields = []
        var bodyID: UInt64 = 0
    }

    /// Decides whether to keep a response (RFC 9111, section 3).
    ///
    /// For a POST, `isOwnURL` says whether the response states that a GET of the same URL would return the same.
    static func judge(_ exchange: borrowing Exchange, isOwnURL: Bool = false) -> CacheVerdict {
        let (status, headers, policy) = (exchange.status, exchange.headers, exchange.policy)
        guard policy.kind != .noCache, policy.kind != .cacheOnly else { return .pass }
        guard exchange.cacheRequest.method == .get || (exchange.cacheRequest.method == .post && isOwnURL) else {
            return .pass
        }
        // A response that is only about its own request is of no use to others. RFC 6585 forbids storing 428, 429, 431
        // and 511.
        guard replaces(status) || status.isServerError && status != 511, headers.canBeKept else { return .pass }
        let control = CacheControl(headers)
        guard !exchange.cacheRequest.control.noStore else { return .pass }
        if control.mustUnderstand {
            // A cache that understands the status may ignore `no-store`, which is meant for other caches.
            guard !status.reasonPhrase.isEmpty else { return .pass }
        } else if control.noStore {
            return .pass
        }
        guard let vary = VaryNames.of(headers) else { return .pass }
        let response = StoredResponse(
            status: status,
            headers: StoredFields.kept(headers, control: control).withDate(exchange.responseDate),
            secretNames: exchange.secretNames,
            requestDate: exchange.requestDate,
            responseDate: exchange.responseDate,
            receivedAge: DeltaSeconds.age(in: headers),
            ttl: status.takesTTL ? policy.ttl?.inSeconds : nil,
            mayGuess: !exchange.hasQuery && exchange.cacheRequest.method == .get,
            bodyID: exchange.bodyID
        )
        return isWorthwhile(response, exchange) ? .store(response, vary: vary) : .pass
    }

    /// Returns whether a response that may be kept can be used later: fresh, confirmed, or in place of a failure.
    private static func isWorthwhile(_ response: StoredResponse, _ exchange: borrowing Exchange) -> Bool {
        let isFresh = response.life.seconds > response.initialAge
        if exchange.cacheRequest.method == .post { return response.life.source == .server && isFresh }
        guard response.life.source == .server || response.status.allowsGuessedLifetime || response.control.isPublic
        else { return false }
        if isFresh || response.hasValidator { return true }
        if response.control.staleIfError != nil || response.control.staleWhileRevalidate != nil { return true }
        switch exchange.policy.kind {
        case .cacheFirst, .networkFirst, .reload: return !response.control.noCache
        default: return false
        }
    }

    /// The properties of a response that renews a stored one.
    struct Renewal {
        var headers: HTTPHeaders
        /// Names of fields that never reach a disk.
        var secretNames: SecretFields = []
        var requestDate: Date
        var responseDate: Date
        var policy = CachePolicy.standard
    }

    /// Returns the stored response after a 304 (RFC 9111, section 4.3.4); `nil` if the 304 is about another one.
    static func confirm(_ stored: StoredResponse, by renewal: Renewal) -> StoredResponse? {
        let headers = renewal.headers
        guard headers.canBeKept else { return nil }
        // A strong tag has to equal the stored one; a weak validator must not contradict it.
        if let tag = EntityTag(of: headers), !tag.isWeak {
            guard stored.entityTag == tag else { return nil }
        } else if contradicts(stored, headers) {
            return nil
        }
        return stored.updated(by: renewal)
    }

    /// Returns the stored GET response after a HEAD response (RFC 9111, section 4.3.5); `nil` if it is no longer valid.
    static func refresh(_ stored: StoredResponse, byHead renewal: Renewal) -> StoredResponse? {
        let headers = renewal.headers
        guard headers.canBeKept else { return nil }
        // A validator that the stored response lacks may belong to another body.
        for name in ["ETag", "Last-Modified"] {
            if let newer = headers[name], newer != stored.headers[name] { return nil }
        }
        if let newer = headers["Content-Length"], let older = stored.headers["Content-Length"], newer != older {
            return nil
        }
        return stored.updated(by: renewal)
    }

    /// Returns whether a confirmed response may stay where the one that it updates is stored.
    ///
    /// The newer fields may forbid storing it (RFC 9111, section 5.2.2.5), or select by other fields of requests than
    /// its place does (section 4.1).
    static func mayStay(_ updated: StoredResponse, for stored: StoredResponse) -> Bool {
        let mayBeStored = updated.control.mustUnderstand || !updated.control.noStore
        return mayBeStored && VaryNames.of(updated.headers) == VaryNames.of(stored.headers)
    }

    /// Returns the request with conditions that ask about the stored response.
    static func conditional(_ request: HTTPRequest, for stored: StoredResponse) -> HTTPRequest {
        var request = request
        if let tag = stored.headers["ETag"], stored.entityTag != nil { request.headers["If-None-Match"] = tag }
        if let date = stored.lastModified { request.headers["If-Modified-Since"] = date }
        return request
    }

    /// Returns whether the caller's own conditions make the response a 304 (RFC 9111, section 4.3.2).
    static func isNotModified(_ cacheRequest: CacheRequest, _ stored: StoredResponse, now: Date) -> Bool {
        // The conditions of a request count only for a success (RFC 9110, section 13.2.1).
        guard stored.status.isSuccess else { return false }
        if let list = cacheRequest.ifNoneMatch { return stored.entityTag?.isListed(in: list) ?? (list == "*") }
        guard let text = cacheRequest.ifModifiedSince, stored.status == .ok, let since = CacheDate.parse(text, now: now)
        else {
            return false
        }
        let changed =
            CacheDate.read("Last-Modified", in: stored.headers, now: now)
            ?? CacheDate.read("Date", in: stored.headers, now: now)
        return changed.map { $0 <= since } ?? false
    }

    /// Returns further URLs of the same origin that a change invalidates (RFC 9111, section 4.4).
    static func alsoInvalid(after headers: HTTPHeaders, of url: URL) -> [URL] {
        let origin = Origin(url)
        return ["Location", "Content-Location"].compactMap { name in
            guard let text = headers[name], let named = URL(text: text, relativeTo: url)?.absoluteURL else {
                return nil
            }
            return Origin(named) == origin ? named : nil
        }
    }

    /// Returns whether a response with this status outdates the stored one even if it is not stored itself.
    ///
    /// Partial responses, failures of the server or a gateway, and temporary refusals do not. Neither does the response
    /// to the caller's own conditions, or to their absence.
    static func replaces(_ status: HTTPStatus) -> Bool {
        switch status.code {
        case 206, 304, 407, 408, 412, 416, 417, 425, 428, 429, 431: false
        case 200..<500: true
        default: false
        }
    }

    /// Returns whether the validators of a 304 belong to another response than the stored one.
    static func contradicts(_ stored: StoredResponse, _ headers: HTTPHeaders) -> Bool {
        if let tag = EntityTag(of: headers), let own = stored.entityTag { return !tag.matchesWeakly(own) }
        guard let changed = headers["Last-Modified"], let own = stored.lastModified else { return false }
        return changed != own
    }

    /// Returns whether a status says that nothing exists at the URL, which also outdates what a repository keeps.
    static func isGone(_ status: HTTPStatus) -> Bool { status == .notFound || status == .gone }

    /// Returns whether a response to an unsafe request indicates a change.
    static func changes(_ status: HTTPStatus) -> Bool { (200..<400).contains(status.code) }
}
