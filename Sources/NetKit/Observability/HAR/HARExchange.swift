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
    private let request: String

    init(_ request: HTTPRequest, _ context: RequestContext, maxBodyBytes: Int?) {
        self.context = context
        self.maxBodyBytes = maxBodyBytes ?? 0
        showsBodies = maxBodyBytes != nil && request.requiresAuth
        hidesBodies = maxBodyBytes != nil && !request.requiresAuth
        let (redaction, url) = (context.call.redaction, context.call.redaction.redacted(request.url))
        var text = "\"method\":\(LogText.json(request.method.rawValue)),\"url\":\(LogText.json(url))"
        text += ",\"cookies\":[],\"headers\":\(Self.list(redaction.redacted(request.headers)))"
        text += ",\"queryString\":\(Self.query(of: url)),\"headersSize\":-1"
        text += ",\"bodySize\":\(request.body.map { $0.length ?? -1 } ?? 0)"
        if let maxBodyBytes, let body = request.body {
            let type = request.headers["Content-Type"] ?? body.contentType
            text += ",\"postData\":{\"mimeType\":\(LogText.json(type ?? ""))"
            if hidesBodies {
                text += Self.missing(Self.signInReason)
            } else if let bytes = body.bytes {
                text += Self.content(
                    bytes,
                    type,
                    count: Int64(bytes.count),
                    maxBodyBytes,
                    redaction,
                    encoding: "_encoding"
                )
            } else {
                text += Self.missing("A file or a stream is not recorded.")
            }
            text += "}"
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
        var content = ""
        if let body {
            content = Self.content(body, type, count: end.byteCount, maxBodyBytes, context.call.redaction)
        } else if hidesBodies {
            content = Self.missing(Self.signInReason)
        }
        if end.isAbandoned { content += ",\"_comment\":\"The reader stopped before the end.\"" }
        return entry(head, size: end.byteCount, content, end.error)
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
        return entry(head, size: 0, "", error)
    }

    private func entry(_ head: Head, size: Int64, _ content: String, _ error: (any Error)?) -> HARRecorder.Entry {
        let (status, timings) = (head.status, head.timings)
        let headers = context.call.redaction.redacted(head.headers)
        let version = LogText.json(timings.protocolVersion ?? "unknown")
        let (time, parts) = HARTimings.text(timings, responseTime: head.responseTime, ended: elapsed)
        var text = "{\"startedDateTime\":\"\(ISO8601Date.format(date, fraction: true))\",\"time\":\(time)"
        text += ",\"request\":{\(request),\"httpVersion\":\(version)}"
        text += ",\"response\":{\"status\":\(status.code),\"statusText\":\(LogText.json(status.reasonPhrase))"
        text += ",\"httpVersion\":\(version),\"cookies\":[],\"headers\":\(Self.list(headers))"
        text += ",\"content\":{\"size\":\(size),\"mimeType\":\(LogText.json(headers["Content-Type"] ?? "x-unknown"))"
        text += "\(content)},\"redirectURL\":\(LogText.json(headers["Location"] ?? ""))"
        text += ",\"headersSize\":-1,\"bodySize\":-1"
        if let error { text += ",\"_error\":\(LogText.json(Self.text(of: error)))" }
        if let known = error as? NetKitError { text += ",\"_outcome\":\(LogText.json(known.outcome.description))" }
        text += "},\"cache\":{},\"timings\":\(parts)"
        if let address = timings.remoteAddress { text += ",\"serverIPAddress\":\(LogText.json(address))" }
        text += ",\"_call\":\(LogText.json(context.id.description)),\"_attempt\":\(context.attempt.number)}"
        let microseconds = Int64(exactly: (date.timeIntervalSince1970 * 1e6).rounded()) ?? 0
        return HARRecorder.Entry(start: microseconds, text: text)
    }

    private static func text(of error: any Error) -> String {
        guard let known = error as? NetKitError else { return "cancelled" }
        return "\(known.code): \(known.message)"
    }

    /// Returns names and values as a HAR list.
    private static func list(_ headers: HTTPHeaders) -> String {
        "[\(headers.fields.map { pair($0.name, $0.value) }.joined(separator: ","))]"
    }

    private static func query(of url: String) -> String {
        let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        let items = query.split(separator: UInt8(ascii: "&")).map { item in
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            return pair(decoded(name), decoded(item[name.endIndex...].dropFirst()))
        }
        return "[\(items.joined(separator: ","))]"
    }

    private static func decoded(_ part: Substring.UTF8View) -> String {
        let text = String(Substring(part))
        return text.removingPercentEncoding ?? text
    }

    private static func pair(_ name: String, _ value: String) -> String {
        "{\"name\":\(LogText.json(name)),\"value\":\(LogText.json(value))}"
    }

    private static let signInReason =
        "The bodies of a request whose `requiresAuth` is false are not recorded, because they may be secret."

    /// Returns the text of a body of which nothing is recorded.
    private static func missing(_ reason: String) -> String {
        ",\"text\":\"\",\"_kept\":0,\"comment\":\"\(reason)\""
    }

    /// Returns the text of a body, or its bytes in Base64 if it is not text.
    private static func content(
        _ bytes: Data,
        _ contentType: String?,
        count: Int64,
        _ limit: Int,
        _ redaction: Redaction,
        encoding: String = "encoding"
    ) -> String {
        let type = LogBody.name(of: contentType)
        if type?.hasPrefix("multipart/") == true {
            return missing("The parts of a multipart body are not recorded, because they may be secret.")
        }
        var shown = bytes.prefix(limit)
        if LogBody.isText(type) { shown = LogBody.masked(shown, contentType: contentType, redaction) }
        let isCut = count > Int64(min(bytes.count, limit))
        var text = ""
        // A truncated text may end in the middle of a character.
        if LogBody.isText(type), let valid = String(validating: shown, as: UTF8.self) ?? cutText(shown, isCut: isCut) {
            text = ",\"text\":\(LogText.json(valid))"
        } else {
            text = ",\"text\":\"\(shown.base64EncodedString())\",\"\(encoding)\":\"base64\""
        }
        if isCut {
            let kept = min(bytes.count, limit)
            text += ",\"_kept\":\(kept),\"comment\":\"Only the first \(kept) of \(count) bytes were recorded.\""
        }
        return text
    }

    private static func cutText(_ bytes: Data, isCut: Bool) -> String? {
        guard isCut else { return nil }
        return (1...3).lazy.compactMap { String(validating: bytes.dropLast($0), as: UTF8.self) }.first
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
