import Foundation

/// A complete record as it was found in a segment.
struct JournalRecord {
    let sequence: Int64
    /// The last number that was safe when it was written; `nil` in version 1 and in records that only a newer version
    /// understands.
    let acknowledged: Int64?
    /// The change that it makes; `nil` if only a newer version understands it.
    let effect: UnnumberedRecord.Effect?
    /// The bytes of the record in its segment, without the line break.
    private(set) var range: Range<Int>

    /// Reads the record that fills a range from end to end, or `nil` if there is none.
    init?(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>) {
        guard range.count >= Self.head.count + Self.tailLength else { return nil }
        guard bytes[range.lowerBound] == Self.head[0] else { return nil }
        let line = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard line.starts(with: Self.head) else { return nil }
        var reader = JSONFields(line, from: Self.head.count)
        guard let version = reader.integer(), reader.skip(",\"seq\":"), let sequence = reader.integer(),
            reader.skip(",")
        else { return nil }
        let restStart = reader.position
        let restEnd = line.count - Self.tailLength
        guard restStart <= restEnd, line[restEnd...].starts(with: Self.tail), line.suffix(2).elementsEqual(Self.end)
        else { return nil }
        var checksum = CRC32()
        checksum.add(UnsafeRawBufferPointer(rebasing: line[restStart..<restEnd]))
        checksum.add(UnsafeRawBufferPointer(rebasing: line[..<restStart]))
        let sum = line[(restEnd + Self.tail.count)...].prefix(8)
        guard sum.elementsEqual(CRC32.text(checksum.value)), sequence <= Self.maxSequence else { return nil }
        self.sequence = sequence
        self.range = range
        var contentEnd = restEnd
        switch version {
        case 1: acknowledged = nil
        case UnnumberedRecord.version:
            let last = JSONFields.lastInteger(after: Self.acknowledgedKey, in: line, restStart..<restEnd)
            guard let last else {
                acknowledged = nil
                effect = nil
                return
            }
            guard last.value <= Self.maxSequence else { return nil }
            (acknowledged, contentEnd) = (last.value, last.start)
        default:
            acknowledged = nil
            effect = nil
            return
        }
        effect = Self.effect(in: line, restStart..<contentEnd)
    }

    /// Returns the record with its place moved by a distance.
    func moved(by distance: Int) -> JournalRecord {
        var record = self
        record.range = range.lowerBound + distance..<range.upperBound + distance
        return record
    }

    /// The greatest number of a record, which no journal reaches; more could overflow when further records are
    /// numbered.
    static let maxSequence = Int64.max / 2
    private static let acknowledgedKey = Array(",\"ack\":".utf8)
    static let head = Array("{\"nk\":".utf8)
    static let tail = Array(",\"sum\":\"".utf8)
    private static let end = Array("\"}".utf8)
    /// The length of `,"sum":"`, eight digits and `"}`.
    static let tailLength = 18

    /// Reads the change that a record makes; `nil` for an operation that this version does not know.
    static func effect(in line: UnsafeRawBufferPointer, _ range: Range<Int>) -> UnnumberedRecord.Effect? {
        var fields = JSONFields(UnsafeRawBufferPointer(rebasing: line[..<range.upperBound]), from: range.lowerBound)
        guard let first = fields.nextKey(), first == "op", let operation = fields.string() else { return nil }
        switch operation {
        case "base":
            guard let number = fields.integer(of: "upTo") else { return nil }
            return .base(upTo: number, count: fields.integer(of: "count"))
        case "segment":
            guard let number = fields.integer(of: "number"), let previous = fields.integer(of: "after"),
                let room = fields.integer(of: "room")
            else { return nil }
            return .segment(JournalSegmentStart(number: number, previous: previous, room: room))
        case "room": return fields.integer(of: "room").map { .room($0) }
        default: break
        }
        guard let second = fields.nextKey(), second == "id", let id = fields.uuid() else { return nil }
        switch operation {
        case "remove": return .remove(id)
        case "put": return entry(id, &fields).map { .put($0) }
        case "state": return update(id, &fields).map { .state(id, $0) }
        default: return nil
        }
    }

    /// The positions and sizes of entries that a record may state; more could overflow when they are added up.
    private static let (positions, sizes) = (0..<Int64.max / 2, 0...Int64(OfflineEntry.maxByteCount))

    private static func entry(_ id: UUID, _ fields: inout JSONFields) -> OfflineEntry? {
        var entry = OfflineEntry(id: id)
        while let key = fields.nextKey() {
            if key == "request" || key == "sealed" { return entry }
            if key == "lane" || key == "key" {
                guard let text = fields.string() else { return nil }
                if key == "lane" { entry.lane = text } else { entry.coalescingKey = text }
                continue
            }
            guard let value = fields.integer() else { return nil }
            switch key {
            case "pos":
                guard positions.contains(value) else { return nil }
                entry.position = value
            case "priority": entry.priority = Int(clamping: value)
            case "time": entry.timestamp = Date(milliseconds: value)
            case "size":
                guard sizes.contains(value) else { return nil }
                entry.byteCount = Int(clamping: value)
            case "retries": entry.retryCount = Int(clamping: value)
            case "conflicts": entry.conflictCount = Int(clamping: value)
            case "expires": entry.expiresAt = Date(milliseconds: value)
            case "attempts": entry.maxAttempts = Int(clamping: value)
            case "notBefore": entry.notBefore = Date(milliseconds: value)
            case "identityLength":
                // Without its name the entry could be sent under another identity, so the record is not understood.
                guard let identity = fields.lastString(length: value) else { return nil }
                entry.identity = identity
            default: continue
            }
        }
        return nil
    }

    private static func update(_ id: UUID, _ fields: inout JSONFields) -> OfflineUpdate? {
        var update = OfflineUpdate(OfflineEntry(id: id))
        while let key = fields.nextKey() {
            if key == "detail" || key == "sealed" || key == "detailFile" { return update }
            if key == "state" {
                guard let name = fields.string() else { return nil }
                update.state = OfflineEntry.State(named: name[...])
                continue
            }
            guard let value = fields.integer() else { return nil }
            switch key {
            case "retries": update.retryCount = Int(clamping: value)
            case "conflicts": update.conflictCount = Int(clamping: value)
            case "notBefore": update.notBefore = Date(milliseconds: value)
            case "wait": update.wait = .milliseconds(value)
            case "failing": update.failingFor = .milliseconds(value)
            case "settled": update.settledAt = Date(milliseconds: value)
            case "status": update.status = HTTPStatus(Int(clamping: value))
            case "expires": update.removesExpiry = value == 0
            default: continue
            }
        }
        return update
    }
}
