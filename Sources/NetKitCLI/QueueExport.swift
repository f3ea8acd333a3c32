import Foundation
import NetKit

/// An entry with all of its stored data.
struct QueueExport: Encodable {
    let state: String
    let notBefore: Date?
    let request: QueuedRequest
    let detail: OfflineDetail?

    init(_ entry: OfflineEntry, _ kept: StoredRequest) {
        state = entry.state.description
        notBefore = entry.notBefore
        request = kept.request
        detail = kept.detail
    }

    /// The data as readable names and values.
    var lines: [(String, String)] {
        var lines = [
            ("entry", request.id.uuidString), ("state", state), ("request", "\(request.method) \(request.endpoint)"),
            ("lane", request.lane), ("time", request.timestamp.formatted(.iso8601)),
            ("idempotency key", request.idempotencyKey ?? "none"), ("failed attempts", "\(request.retryCount)"),
        ]
        if let identity = request.identity { lines.append(("sent only as", identity)) }
        if let notBefore { lines.append(("not before", notBefore.formatted(.iso8601))) }
        if let reason = detail?.reason { lines.append(("given up", reason.description)) }
        if let detail { lines.append(("because", detail.message)) }
        if let response = detail?.response {
            lines.append(("response", "\(response.status) \(String(decoding: response.body, as: UTF8.self))"))
        }
        for field in request.headers { lines.append(("header", "\(field.name): \(field.value)")) }
        if let bytes = request.body?.bytes {
            lines.append(("body", String(decoding: bytes, as: UTF8.self)))
        } else if let path = request.body?.filePath {
            lines.append(("body", "in \(path)"))
        }
        return lines
    }
}
