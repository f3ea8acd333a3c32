import Foundation
import NetKit

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
