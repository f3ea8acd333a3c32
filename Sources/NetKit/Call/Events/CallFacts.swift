import Foundation

/// The facts about a call to which its events refer.
///
/// Body and header fields are left out, because events may wait for a slow listener and must not keep those alive.
final class CallFacts: Sendable {
    let id: CallID
    let method: HTTPMethod
    let requestURL: URL
    /// The path as it was written in the code, with `{}` for each value.
    let template: String?
    let redaction: Redaction
    /// The latest listener of the hub when the call began; later ones get no event of the call.
    let latestListener: Int

    init(id: CallID, request: HTTPRequest, template: String?, redaction: Redaction, latestListener: Int) {
        self.id = id
        method = request.method
        requestURL = request.url
        self.template = template
        self.redaction = redaction
        self.latestListener = latestListener
    }

    var url: String { redaction.redacted(requestURL) }

    var origin: Origin? { Origin(requestURL) }
}

extension CallFacts: CustomReflectable {
    /// A mirror with the secrets of the URL masked, for `dump` and test reports.
    var customMirror: Mirror { Mirror(self, children: ["id": id, "method": method, "url": url]) }
}
