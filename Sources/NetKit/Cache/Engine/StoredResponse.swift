import Foundation

/// The head of a stored response, with the values that decide about its use computed once.
final class StoredResponse: Sendable {
    let status: HTTPStatus
    /// The stored fields, without `Age`.
    let headers: HTTPHeaders
    /// The names of fields that never reach a disk.
    let secretNames: SecretFields
    /// The times at which the request was sent and the response received.
    let requestDate: Date
    let responseDate: Date
    /// The value of `Age` when the response was received.
    let receivedAge: Int64
    /// The lifetime that the call sets if the server states none.
    let ttl: Double?
    /// Whether the lifetime may be guessed, which only a GET of a URL without a query allows.
    let mayGuess: Bool
    /// The identifier of its body: a confirmed response keeps it, a replacement has another.
    let bodyID: UInt64

    let control: CacheControl
    let entityTag: EntityTag?
    let lastModified: String?
    /// The time at which the server made the response, or else the time at which it was received.
    let date: Date
    let life: FreshnessLifetime
    /// The age at the time it was received (RFC 9111, section 4.2.3).
    let initialAge: Double
    /// The fields of the last hit, which all hits within the same second share.
    private let lastHit = Locked<(age: Int64, timeLeft: Int64, headers: HTTPHeaders)?>(nil)

    init(
        status: HTTPStatus,
        headers: HTTPHeaders,
        secretNames: SecretFields = [],
        requestDate: Date,
        responseDate: Date,
        receivedAge: Int64,
        ttl: Double?,
        mayGuess: Bool,
        bodyID: UInt64
    ) {
        self.status = status
        self.headers = headers
        self.secretNames = secretNames
        self.requestDate = requestDate
        self.responseDate = responseDate
        self.receivedAge = receivedAge
        self.ttl = ttl
        self.mayGuess = mayGuess
        self.bodyID = bodyID
        control = CacheControl(headers)
        entityTag = EntityTag(of: headers)
        lastModified = headers["Last-Modified"]
        let date = CacheDate.read("Date", in: headers, now: responseDate) ?? responseDate
        self.date = date
        life = FreshnessLifetime(
            status: status,
            headers: headers,
            control: control,
            date: date,
            now: responseDate,
            ttl: ttl,
            mayGuess: mayGuess
        )
        // `Date` has whole seconds: the fraction of a second must not make a response older than it is.
        let apparent = max(0, responseDate.timeIntervalSince1970.rounded(.down) - date.timeIntervalSince1970)
        let delay = max(0, responseDate.timeIntervalSince(requestDate))
        initialAge = max(apparent, Double(receivedAge) + delay)
    }

    /// Returns the head, updated by a newer response about the same body (RFC 9111, section 3.2).
    func updated(by renewal: CacheEngine.Renewal) -> StoredResponse {
        StoredResponse(
            status: status,
            headers: StoredFields.updated(headers, with: renewal.headers.withDate(renewal.responseDate)),
            secretNames: secretNames.union(renewal.secretNames),
            requestDate: renewal.requestDate,
            responseDate: renewal.responseDate,
            receivedAge: DeltaSeconds.age(in: renewal.headers),
            ttl: (status.takesTTL ? renewal.policy.ttl?.inSeconds : nil) ?? ttl,
            mayGuess: mayGuess,
            bodyID: bodyID
        )
    }

    /// Returns the age in seconds; a clock that was set back makes it older, because the real time is not known then.
    func age(at now: Date) -> Double { initialAge + abs(now.timeIntervalSince(responseDate)) }

    /// Returns the fields of a response from the cache.
    func headers(at now: Date, status: String) -> HTTPHeaders { headers(age: shownAge(at: now), status: status) }

    /// Returns the fields of a hit.
    func headers(at now: Date, timeLeft: Int64) -> HTTPHeaders {
        let age = shownAge(at: now)
        if let hit = lastHit.withLock({ $0 }), hit.age == age, hit.timeLeft == timeLeft { return hit.headers }
        let headers = headers(age: age, status: CacheStatusText.hit(timeLeft))
        lastHit.withLock { $0 = (age, timeLeft, headers) }
        return headers
    }

    private func shownAge(at now: Date) -> Int64 {
        Int64(min(max(0, age(at: now).rounded(.down)), Double(DeltaSeconds.maxValue)))
    }

    private func headers(age: Int64, status: String) -> HTTPHeaders {
        var headers = headers
        headers.add("Age", String(age))
        headers.add("Cache-Status", status)
        return headers
    }

    /// Whether the server can be asked if the response is still valid.
    var hasValidator: Bool { entityTag != nil || lastModified != nil }

    /// Whether the response must not be used while stale, even if the caller allows it.
    var forbidsStale: Bool { control.mustRevalidate || control.noCache }

    /// Returns whether it is a more recent response of the URL than another one (RFC 9111, section 4).
    func isNewer(than other: StoredResponse) -> Bool {
        date == other.date ? responseDate > other.responseDate : date > other.date
    }

    /// The rough number of bytes it takes in memory.
    var memoryCost: Int { 800 + headers.memoryCost }
}

extension HTTPHeaders {
    /// The rough number of bytes they take in memory.
    var memoryCost: Int {
        fields.reduce(0) { $0 + 128 + $1.name.utf8.count + $1.value.utf8.count }
    }

    /// Whether the fields are few and short enough to be stored.
    var canBeKept: Bool { memoryCost <= 256 << 10 }

    /// Returns the fields, with the date of arrival if the server sent none (RFC 9110, section 6.6.1).
    func withDate(_ date: Date) -> HTTPHeaders {
        guard !contains("Date") else { return self }
        var dated = self
        dated.add("Date", HTTPDate.format(date))
        return dated
    }
}
