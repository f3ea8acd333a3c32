import Foundation

/// The facts about a call to which its events refer.
///
/// Body and header fields are left out, because events may wait for a slow listener and must not keep those alive.
final class CallFacts: Sendable {
    let id: CallID
    let request: RequestLine
    /// The path as it was written in the code, with `{}` for each value.
    let template: String?
    let redaction: Redaction
    /// The latest listener of the hub when the call began; later ones get no event of the call.
    let latestListener: Int

    /// The method and the URL of a request.
    struct RequestLine: Sendable {
        let method: HTTPMethod
        let url: URL
    }

    init(id: CallID, request: HTTPRequest, template: String?, redaction: Redaction, latestListener: Int) {
        self.id = id
        self.request = RequestLine(method: request.method, url: request.url)
        self.template = template
        self.redaction = redaction
        self.latestListener = latestListener
    }

    var url: String { redaction.redacted(request.url) }

    var origin: Origin? { Origin(request.url) }
}
