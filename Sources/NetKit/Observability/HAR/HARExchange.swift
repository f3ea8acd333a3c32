import Foundation

/// A running exchange, from which an entry is made at its end.
///
/// The request is rendered before it is sent, so that its body is not kept alive until the response has ended.
struct HARExchange: Sendable {
    /// A response without its body.
    struct Head: Sendable {
        let status: HTTPStatus
        let headers: HTTPHeaders
        let timings: ExchangeTimings
        let responseTime: Duration
    }

    /// Whether bodies are recorded.
    let showsBodies: Bool
    /// Whether bodies would be recorded, but are those of a sign-in.
    private let hidesBodies: Bool
    private let maxBodyBytes: Int
    private let context: RequestContext
    private let started: NetKitClock.Instant
    private let date: Date
    /// The object of the request without its end.
    private let request: JSONText

    init(_ request: HTTPRequest, _ context: RequestContext, maxBodyBytes: Int?) {
        self.context = context
        self.maxBodyBytes = maxBodyBytes ?? 0
        showsBodies = maxBodyBytes != nil && request.requiresAuth
        hidesBodies = maxBodyBytes != nil && !request.requiresAuth
        let (redaction, url) = (context.call.redaction, context.call.redaction.redacted(request.url))
        var text = JSONText()
        text.begin()
        text.add("method", request.method.rawValue)
        text.add("url", url)
        text.add("cookies", texts: [])
        text.add("headers", named: Self.pairs(redaction.redacted(request.headers)))
        text.add("queryString", named: Self.query(of: url))
        text.add("headersSize", -1)
        text.add("bodySize", request.body.map { $0.length ?? -1 } ?? 0)
        if let maxBodyBytes, let body = request.body {
            let type = request.headers["Content-Type"] ?? body.contentType
            text.begin("postData")
            text.add("mimeType", type ?? "")
            if hidesBodies {
                text.addMissingBody(Self.signInReason)
            } else if let bytes = body.bytes {
                let count = Int64(bytes.count)
                text.addBody(bytes, type, count: count, maxBodyBytes, redaction, encoding: "_encoding")
            } else {
                text.addMissingBody("A file or a stream is not recorded.")
            }
            text.end()
        }
        self.request = text
        (date, started) = (context.clock.date, context.clock.now)
    }

    /// Returns the head of a response that has just arrived.
    func head(of response: HTTPResponse) -> Head {
        Head(status: response.status, headers: response.headers, timings: response.timings, responseTime: elapsed)
    }

    private var elapsed: Duration { started.duration(to: context.clock.now) }

    /// Returns the entry of a response whose body has ended.
    ///
    /// The body is the recorded part of it, or `nil` if it is not recorded.
    func entry(_ head: Head, body: Data?, _ end: BodyEnd) -> HARRecorder.Entry {
        let type = head.headers["Content-Type"]
        return entry(head, size: end.byteCount, end.error) { content in
            if let body {
                content.addBody(body, type, count: end.byteCount, maxBodyBytes, context.call.redaction)
            } else if hidesBodies {
                content.addMissingBody(Self.signInReason)
            }
            if end.isAbandoned { content.add("_comment", "The reader stopped before the end.") }
        }
    }

    /// Returns the entry of an exchange that failed without a response, or with one that was rejected.
    func entry(_ error: any Error) -> HARRecorder.Entry {
        let error = context.call.observed(error, outcome: context.attempt.outcome)
        let known = error as? NetKitError
        let head = Head(
            status: known?.response?.status ?? 0,
            headers: known?.response?.headers ?? [:],
            timings: known?.timings ?? ExchangeTimings(),
            responseTime: elapsed
        )
        return entry(head, size: 0, error) { _ in }
    }

    private func entry(
        _ head: Head,
        size: Int64,
        _ error: (any Error)?,
        _ addBody: (inout JSONText) -> Void
    ) -> HARRecorder.Entry {
        let (status, timings) = (head.status, head.timings)
        let headers = context.call.redaction.redacted(head.headers)
        let version = timings.protocolVersion ?? "unknown"
        let (time, parts) = HARTimings.text(timings, responseTime: head.responseTime, ended: elapsed)
        var request = request
        request.add("httpVersion", version)
        request.end()
        let sent = request.bytes
        var entry = JSONText(capacity: sent.count + 1024)
        entry.begin()
        entry.add("startedDateTime", ISO8601Date.format(date, fraction: true))
        entry.add("time", json: "\(time)".utf8)
        entry.add("request", json: sent)
        entry.begin("response")
        entry.add("status", Int64(status.code))
        entry.add("statusText", status.reasonPhrase)
        entry.add("httpVersion", version)
        entry.add("cookies", texts: [])
        entry.add("headers", named: Self.pairs(headers))
        entry.begin("content")
        entry.add("size", size)
        entry.add("mimeType", headers["Content-Type"] ?? "x-unknown")
        addBody(&entry)
        entry.end()
        entry.add("redirectURL", headers["Location"] ?? "")
        entry.add("headersSize", -1)
        entry.add("bodySize", -1)
        if let error {
            entry.add("_error", Self.text(of: error))
            entry.add("_outcome", ((error as? NetKitError)?.outcome ?? context.attempt.outcome).description)
        }
        entry.end()
        entry.add("cache", object: [])
        entry.add("timings", json: parts.utf8)
        entry.add("serverIPAddress", timings.remoteAddress)
        entry.add("_call", context.id.description)
        entry.add("_attempt", Int64(context.attempt.number))
        entry.end()
        let microseconds = Int64(exactly: (date.timeIntervalSince1970 * 1e6).rounded()) ?? 0
        return HARRecorder.Entry(start: microseconds, text: String(decoding: entry.bytes, as: UTF8.self))
    }

    private static func text(of error: any Error) -> String {
        guard let known = error as? NetKitError else { return "cancelled" }
        return "\(known.code): \(known.message)"
    }

    private static func pairs(_ headers: HTTPHeaders) -> [(String, String)] {
        headers.fields.map { ($0.name, $0.value) }
    }

    private static func query(of url: String) -> [(String, String)] {
        let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return query.split(separator: UInt8(ascii: "&")).map { item in
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            return (decoded(name), decoded(item[name.endIndex...].dropFirst()))
        }
    }

    private static func decoded(_ part: Substring.UTF8View) -> String {
        let text = String(Substring(part))
        return text.removingPercentEncoding ?? text
    }

    private static let signInReason =
        "The bodies of a request whose `requiresAuth` is false are not recorded, because they may be secret."
}

extension JSONText {
    /// Adds a list of names and values, each of which is an object.
    fileprivate mutating func add(_ key: StaticString, named pairs: [(String, String)]) {
        let objects = pairs.map { name, value in
            var object = JSONText(capacity: name.utf8.count + value.utf8.count + 24)
            object.begin()
            object.add("name", name)
            object.add("value", value)
            object.end()
            return object.bytes
        }
        add(key, json: [UInt8(ascii: "[")] + objects.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")])
    }

    /// Adds the members for a body of which nothing is recorded.
    fileprivate mutating func addMissingBody(_ reason: String) {
        add("text", "")
        add("_kept", 0)
        add("comment", reason)
    }

    /// Adds the members for a body: its text, or its bytes in Base64 if it is not text.
    fileprivate mutating func addBody(
        _ bytes: Data,
        _ contentType: String?,
        count: Int64,
        _ limit: Int,
        _ redaction: Redaction,
        encoding: StaticString = "encoding"
    ) {
        let type = LogBody.name(of: contentType)
        if type?.hasPrefix("multipart/") == true {
            return addMissingBody("The parts of a multipart body are not recorded, because they may be secret.")
        }
        var shown = bytes.prefix(limit)
        if LogBody.isText(type) { shown = LogBody.masked(shown, contentType: contentType, redaction) }
        let kept = min(bytes.count, limit)
        let isCut = count > Int64(kept)
        if LogBody.isText(type), let text = Self.text(of: shown, isCut: isCut) {
            add("text", text)
        } else {
            add("text", shown.base64EncodedString())
            add(encoding, "base64")
        }
        if isCut {
            add("_kept", Int64(kept))
            add("comment", "Only the first \(kept) of \(count) bytes were recorded.")
        }
    }

    /// Returns bytes as text; a text that was cut may end in the middle of a character.
    private static func text(of bytes: Data, isCut: Bool) -> String? {
        for dropped in 0...(isCut ? 3 : 0) {
            if let text = String(validating: bytes.dropLast(dropped), as: UTF8.self) { return text }
        }
        return nil
    }
}

/// The timings of an exchange as HAR divides them.
enum HARTimings {
    /// Returns the total time in milliseconds and the parts as JSON.
    ///
    /// Parts that are unknown or did not occur are -1. The other times are from the start until the response's head
    /// arrived, and until the body ended.
    static func text(_ timings: ExchangeTimings, responseTime: Duration, ended: Duration) -> (Double, String) {
        let isNew = timings.reusedConnection != true
        let resolved = isNew ? timings.nameResolved : nil
        let connected = isNew ? timings.connected : nil
        let secured = isNew ? timings.secured : nil
        let ready = secured ?? connected ?? resolved ?? .zero
        let first = timings.firstByte ?? responseTime
        let dns = resolved.map { part(.zero, $0) } ?? -1
        // HAR counts the TLS handshake as part of connecting.
        let connect = connected.map { part(resolved ?? .zero, secured ?? $0) } ?? -1
        let handshake = secured.map { part(connected ?? .zero, $0) } ?? -1
        let (wait, receive) = (part(ready, first), part(first, ended))
        let sum = max(0, dns) + max(0, connect) + wait + receive
        let text = """
            {"blocked":-1,"dns":\(dns),"connect":\(connect),"ssl":\(handshake),"send":0,"wait":\(wait),"receive":\(receive)}
            """
        return ((sum * 1000).rounded() / 1000, text)
    }

    /// Returns the milliseconds between two moments.
    private static func part(_ start: Duration, _ end: Duration) -> Double {
        (max(0, (end - start).inSeconds) * 1_000_000).rounded() / 1000
    }
}
