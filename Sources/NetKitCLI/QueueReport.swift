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
            lines.append("\(quarantined.counting("damaged part")) set aside earlier, in quarantine*.jsonl")
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
