import Foundation
import NetKit

/// The result of `netkit queue verify`.
struct QueueReport: Encodable {
    struct Damage: Encodable {
        let file: String
        let offset: Int64
        let bytes: Int
        let reason: String
    }

    struct DamagedEntry: Encodable {
        let id: String
        let problem: String
    }

    let entries: Int
    let segments: Int
    let unknown: Int
    let quarantined: Int
    let damage: [Damage]
    let damagedEntries: [DamagedEntry]

    init(_ folder: OfflineFolder) {
        entries = folder.entries.count
        segments = folder.segmentCount
        unknown = folder.unknownCount
        quarantined = folder.quarantinedCount
        damage = folder.damage.map {
            Damage(file: $0.file, offset: $0.offset, bytes: $0.byteCount, reason: $0.reason)
        }
        damagedEntries = folder.damagedEntries.map { DamagedEntry(id: $0.id.uuidString, problem: $0.problem) }
    }

    var isSound: Bool { damage.isEmpty && damagedEntries.isEmpty }

    var lines: [String] {
        var lines = ["\(entries.counting("entry", "entries")) in \(segments.counting("segment"))"]
        if unknown > 0 { lines.append("\(unknown.counting("record")) of a newer version, left unchanged") }
        if quarantined > 0 {
            lines.append("\(quarantined.counting("damaged part")) set aside earlier, in quarantine.jsonl")
        }
        for part in damage where part.bytes == 0 { lines.append("\(part.file): \(part.reason)") }
        for part in damage where part.bytes > 0 {
            lines.append("damage in \(part.file) at \(part.offset), \(part.bytes.counting("byte")): \(part.reason)")
        }
        for entry in damagedEntries { lines.append("the entry \(entry.id) cannot be sent: \(entry.problem)") }
        lines.append(isSound ? "sound" : "damaged; the damage is set aside when the queue is opened")
        return lines
    }
}

/// An entry as `netkit queue list` shows it.
struct QueueEntryText: Encodable {
    let id: UUID
    let state: String
    let lane: String
    let priority: Int
    let time: Date
    let retries: Int
    let bytes: Int
    let notBefore: Date?
    let expires: Date?
    let identity: String?

    init(_ entry: OfflineEntry) {
        id = entry.id
        state = entry.state.description
        lane = entry.lane
        priority = entry.priority
        time = entry.timestamp
        retries = entry.retryCount
        bytes = entry.byteCount
        notBefore = entry.notBefore
        expires = entry.expiresAt
        identity = entry.identity
    }

    var line: String {
        var parts = [id.uuidString, state.padding(toLength: 8, withPad: " ", startingAt: 0), time.formatted(.iso8601)]
        parts.append("lane \(lane)")
        parts.append("\(bytes) bytes")
        if retries > 0 { parts.append("\(retries) failed") }
        if let notBefore { parts.append("not before \(notBefore.formatted(.iso8601))") }
        if let identity { parts.append("only as \"\(identity)\"") }
        return parts.joined(separator: "  ")
    }
}

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
