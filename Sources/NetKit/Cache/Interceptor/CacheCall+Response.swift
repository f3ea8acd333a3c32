import Foundation

extension CacheCall {
    /// Returns the response of the cache: the stored one, a part of it, or a 304 if the caller's conditions require it.
    ///
    /// `nil` if the stored response cannot be read, or only the server can respond.
    func response(from found: StoredMatch, headers: HTTPHeaders, now: Date) -> HTTPResponse? {
        let (stored, length) = (found.response, found.record.body.length)
        guard length >= 0 else { return nil }
        var headers = headers
        func without(_ code: HTTPStatus, _ contentRange: String? = nil) -> HTTPResponse {
            var headers = Self.withoutContent(headers)
            if let contentRange { headers.add("Content-Range", contentRange) }
            return HTTPResponse(status: code, headers: headers, url: request.url)
        }
        if CacheEngine.isNotModified(cacheRequest, stored, now: now) { return without(.notModified) }
        if cacheRequest.method == .head {
            return HTTPResponse(status: stored.status, headers: headers, url: request.url)
        }
        var status = stored.status
        var part: Range<Int64>?
        if let range = cacheRequest.range, status == .ok, isRangeMeant(for: stored) {
            switch ByteRange.reading(range, length: length) {
            case .whole: break
            case .several: return nil
            case .unsatisfiable: return without(416, "bytes */\(length)")
            case .part(let range):
                part = range
                status = .partialContent
                headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
                headers["Content-Length"] = String(range.count)
            }
        }
        guard let body = try? found.record.body.response(part) else { return nil }
        return HTTPResponse(status: status, headers: headers, body: body, url: request.url)
    }

    /// Returns whether the body already has the form that the caller wants, so that there is nothing to wait for.
    func isDelivered(_ response: HTTPResponse) -> Bool {
        guard let limit = context.delivery.maxBufferedBytes(of: response.status) else { return true }
        return response.body.buffered.map { $0.count <= limit } ?? false
    }

    /// Returns a response with its body in the form that the caller wants.
    func deliver(_ response: HTTPResponse) async throws -> HTTPResponse {
        guard !isDelivered(response), let limit = context.delivery.maxBufferedBytes(of: response.status) else {
            return response
        }
        return try await context.readingToEnd(of: response.body) { try await response.buffered(upTo: limit) }
    }

    /// Returns whether `If-Range`, if present, names exactly the stored response (RFC 9110, section 13.1.5).
    private func isRangeMeant(for stored: StoredResponse) -> Bool {
        guard let condition = cacheRequest.ifRange else { return true }
        if condition.hasSuffix("\"") { return stored.entityTag?.matchesStrongly(EntityTag(condition)) ?? false }
        // Two changes within the second of the date would have the same one.
        guard stored.lastModified == condition, let changed = HTTPDate.parse(condition) else { return false }
        return stored.date.timeIntervalSince(changed) >= 1
    }

    private static func withoutContent(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.fields.filter { field in
                let name = field.name.lowercased()
                return !name.hasPrefix("content-") || name == "content-location"
            }
        )
    }

    /// Stores a response, at once or while its body is read, and returns it.
    ///
    /// A response that is not stored removes the one that it would have replaced: an older response must not reappear.
    func store(_ response: HTTPResponse, _ exchange: Exchange) async throws -> HTTPResponse {
        guard case .store(let stored, let vary) = verdict(on: response) else {
            // A failure or a temporary refusal says nothing about the next response.
            let isLasting = CacheEngine.replaces(response.status)
            exchange.flight?.land(.unusable(isLasting: isLasting))
            if isLasting { await cache.removeOlder(exchange, context) }
            return marked(response, exchange.reason, .notStored)
        }
        guard isSeen(vary, in: response, exchange) else {
            exchange.flight?.land(.unusable(isLasting: true))
            await cache.removeOlder(exchange, context)
            return marked(response, exchange.reason, .variesUnseen)
        }
        var response = response
        if response.status.isRedirection || response.body.length == 0, response.body.buffered == nil {
            // A caller that follows a redirect does not read its body, and then it would never be stored.
            response = try await bufferIfSmall(response)
        }
        guard let key = await storageKey(for: vary, exchange) else {
            await cache.removeOlder(exchange, context)
            return marked(response, exchange.reason, .notStored)
        }
        return await write(response, stored, key, varyingBy: vary, exchange)
    }

    /// Decides whether to keep a response; not inlined, so that a waiting call does not hold the memory of it.
    @inline(never)
    private func verdict(on response: HTTPResponse) -> CacheVerdict {
        let exchange = CacheEngine.Exchange(
            cacheRequest: cacheRequest,
            status: response.status,
            headers: response.headers,
            requestDate: requestDate(of: response),
            responseDate: now,
            policy: policy,
            hasQuery: request.url.query(percentEncoded: true)?.isEmpty == false,
            secretNames: secretNames(in: response.headers),
            bodyID: context.random.next()
        )
        return CacheEngine.judge(exchange, isOwnURL: cacheRequest.method == .post)
    }

    /// Writes a response that may be stored under its key, at once or while its body is read, and returns it.
    private func write(
        _ response: HTTPResponse,
        _ stored: StoredResponse,
        _ key: CacheKey,
        varyingBy vary: [String],
        _ exchange: Exchange
    ) async -> HTTPResponse {
        let head = CacheHead(.response(stored))
        let landing: @Sendable (Data) -> CacheFlight.Landing = { [landing = landing(varyingBy: vary)] body in
            landing(StoredMatch(key: key, record: CacheRecord(head: head, body: .data(body)), response: stored))
        }
        if let body = response.body.buffered {
            let isKept =
                await writeOrRemove(key, exchange) { store -> Bool? in
                    try await store.write(key, head, body: body, token: exchange.token) ? true : nil
                } != nil
            if isKept { bookkeeping.count { $0.writes += 1 } }
            exchange.flight?.land(landing(body))
            return marked(response, exchange.reason, isKept ? .stored : .notStored)
        }
        let length = response.body.length
        let writer = await writeOrRemove(key, exchange) { store in
            try await store.write(key, head, length: length, token: exchange.token)
        }
        let sharing = sharing(of: length, in: exchange.flight, landing)
        guard writer != nil || sharing != nil else { return marked(response, exchange.reason, .notStored) }
        let body = SharedBody(response.body, writer: writer, sharing: sharing) { [cache, context] end in
            cache.bookkeeping.count { counts in
                if end == .stored { counts.writes += 1 }
                if end == .storeFailed { counts.storeFailures += 1 }
            }
            if end != .stored { await cache.removeOlder(exchange, context, key) }
        }
        sharing?.flight.attach(body)
        var response = response
        response.body = ResponseBody(length: length, source: body)
        return marked(response, exchange.reason, writer == nil ? .notStored : .beingStored)
    }

    /// Writes an entry; if the store does not keep it, this removes what it would have replaced, and returns `nil`.
    ///
    /// Not inlined, because what follows would be repeated for each wait.
    @inline(never)
    private func writeOrRemove<Success: Sendable>(
        _ key: CacheKey,
        _ exchange: Exchange,
        _ write: @escaping @Sendable (any CacheStore) async throws -> Success?
    ) async -> Success? {
        let success = await cache.query(context, write)
        if success == nil { await cache.removeOlder(exchange, context, key) }
        return success
    }

    /// Returns whether the fields that select among responses were sent as the cache saw them.
    ///
    /// The cache cannot know the values that a later stage will set next time. A credential with a known principal does
    /// not matter, because principals separate responses anyway.
    private func isSeen(_ vary: [String], in response: HTTPResponse, _ exchange: Exchange) -> Bool {
        guard !vary.isEmpty, let really = response.sentFields else { return true }
        let seen = sentRequest(of: exchange).headers
        return vary.allSatisfy { name in
            VaryNames.haveSameValue(of: name, seen, really)
                || (partition.hasPrincipal && context.call.redaction.isSensitive(header: name))
        }
    }

    /// Returns the fields that are secret, or have a URL with a secret in it.
    func secretNames(in headers: HTTPHeaders) -> SecretFields {
        SecretFields(in: headers, context.call.redaction)
    }

    /// Returns the response with a small body in memory, and with a large or slow one as a stream.
    private func bufferIfSmall(_ response: HTTPResponse) async throws -> HTTPResponse {
        let limit = 64 << 10
        guard let length = response.body.length, length <= Int64(limit) else { return response }
        var ahead = response
        // With room for one byte more, the reading ahead comes to the end of the body.
        ahead.body = response.body.readingAhead(upTo: limit + 1) {}
        let hasEnded = Promise<Bool>()
        // A body that breaks off is passed on as it is: a caller that follows a redirect does not read it.
        response.body.onEnd { hasEnded.resolve(.success($0.isComplete)) }
        let end = context.clock.now.advanced(by: context.timeouts.refusalBody)
        let alarm = context.clock.scheduleWakeUp(at: end) { hasEnded.resolve(.success(false)) }
        defer { alarm.cancel() }
        guard try await context.call.wait(for: hasEnded, leaving: { hasEnded.resolve(.failure($0)) }) else {
            return ahead
        }
        return try await ahead.buffered(upTo: limit)
    }

    /// Returns the key to store under: the URL's, or that of the variant, whose fields the URL's own entry then names.
    ///
    /// `nil` if nothing may be stored, or if the store refuses that entry.
    private func storageKey(for vary: [String], _ exchange: Exchange) async -> CacheKey? {
        let lookup = exchange.lookup
        guard let token = exchange.token else { return nil }
        guard !vary.isEmpty else { return lookup.primary }
        var sets = lookup.variants ?? VariantSets(generation: context.random.next(), sets: [])
        let known = sets
        sets.add(vary)
        if sets != known || lookup.variants == nil {
            let head = CacheHead(.variants(sets))
            let isNamed = await cache.query(context) {
                try await $0.write(lookup.primary, head, body: Data(), token: token)
            }
            guard isNamed == true else { return nil }
        }
        return sets.key(for: vary, in: cacheRequest.headers, of: lookup.primary, secret: cache.secret)
    }
}

/// The part that a `Range` field asks for (RFC 9110, section 14.2).
enum ByteRange: Equatable {
    /// The whole body, because there is no range, or none that has to be understood.
    case whole
    case part(Range<Int64>)
    /// The range contains no byte of the body.
    case unsatisfiable
    /// Several parts, which only the server sends.
    case several

    /// Reads a field for a body of the given length; a malformed range is ignored.
    static func reading(_ text: String, length: Int64) -> ByteRange {
        guard text.utf8.count <= 200, text.lowercased().hasPrefix("bytes=") else { return .whole }
        let members = HeaderList.members(of: String(text.dropFirst(6)))
        guard members.count == 1, let member = members.first else { return members.count > 1 ? .several : .whole }
        let ends = member.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .whole }
        if ends[0].isEmpty {
            guard let count = DeltaSeconds.position(ends[1]) else { return .whole }
            return count == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - count)..<length)
        }
        guard let first = DeltaSeconds.position(ends[0]),
            let last = ends[1].isEmpty ? .max - 1 : DeltaSeconds.position(ends[1]), last >= first
        else { return .whole }
        return first >= length ? .unsatisfiable : .part(first..<min(length, last + 1))
    }
}

extension DeltaSeconds {
    /// Reads a position in a body from digits; larger numbers become `Int64.max - 1`.
    fileprivate static func position(_ text: Substring) -> Int64? {
        Int64(clampingDigits: text).map { min($0, .max - 1) }
    }
}
