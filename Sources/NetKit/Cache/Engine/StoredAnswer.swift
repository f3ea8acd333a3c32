import Foundation

/// The head of a stored answer, with everything that decides about its use worked out once.
final class StoredAnswer: Sendable {
    let status: HTTPStatus
    /// The fields as they are kept; `Age` is not among them.
    let headers: HTTPHeaders
    /// The names of fields that never reach a disk.
    let secretNames: Set<String>
    /// When the request was sent and the answer received.
    let requestDate: Date
    let responseDate: Date
    /// The age that the answer had when it was received, as its header said.
    let receivedAge: Int64
    /// How long the call said it may be used where the server says nothing.
    let ttl: Double?
    /// Whether a guess at its life is allowed: not for a URL with a query.
    let mayGuess: Bool
    /// The name of its body: an answer that was confirmed keeps it, one that was replaced has another.
    let bodyID: UInt64

    let control: CacheControl
    let entityTag: EntityTag?
    let lastModified: String?
    let life: AnswerLife
    /// How old it was when it was received (RFC 9111, section 4.2.3).
    let initialAge: Double

    init(
        status: HTTPStatus,
        headers: HTTPHeaders,
        secretNames: Set<String> = [],
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
        life = AnswerLife(
            status: status,
            headers: headers,
            control: control,
            date: date,
            now: responseDate,
            ttl: ttl,
            mayGuess: mayGuess
        )
        // A date has no fractions: what is left of the second must not make an answer older than it is.
        let apparent = max(0, responseDate.timeIntervalSince1970.rounded(.down) - date.timeIntervalSince1970)
        let delay = max(0, responseDate.timeIntervalSince(requestDate))
        initialAge = max(apparent, Double(receivedAge) + delay)
    }

    /// The same body under the head that a newer answer about it gives (RFC 9111, section 3.2).
    func updated(with newer: HTTPHeaders, requestDate: Date, responseDate: Date, ttl: Double?) -> StoredAnswer {
        StoredAnswer(
            status: status,
            headers: StoredFields.updated(headers, with: newer.withDate(responseDate)),
            secretNames: secretNames,
            requestDate: requestDate,
            responseDate: responseDate,
            receivedAge: DeltaSeconds.age(in: newer),
            ttl: ttl ?? self.ttl,
            mayGuess: mayGuess,
            bodyID: bodyID
        )
    }

    /// How old the answer is, in seconds; a clock that was set back makes nothing younger than it came.
    func age(at now: Date) -> Double {
        initialAge + max(0, now.timeIntervalSince(responseDate))
    }

    /// How long it is fresh yet, in seconds; negative where it is stale.
    func timeLeft(at now: Date) -> Double { life.seconds - age(at: now) }

    /// Whether a server can be asked if it is still good.
    var hasValidator: Bool { entityTag != nil || lastModified != nil }

    /// Whether it must not be used while stale, whatever anyone else allows.
    var forbidsStale: Bool { control.mustRevalidate || control.noCache }

    /// The rough number of bytes it takes in memory.
    var memoryCost: Int {
        headers.fields.reduce(640) { $0 + 96 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

extension HTTPHeaders {
    /// With the date of arrival where the server named none (RFC 9110, section 6.6.1).
    func withDate(_ date: Date) -> HTTPHeaders {
        guard !contains("Date") else { return self }
        var dated = self
        dated.add("Date", HTTPDate.format(date))
        return dated
    }
}
