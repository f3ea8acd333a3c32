import Foundation
import NetKit

/// The value of a parameter in PostgreSQL's binary form; `nil` is null.
struct Parameter: Sendable, ExpressibleByNilLiteral {
    /// The type; 0 lets the server choose it, which it does for null.
    let type: UInt32
    let bytes: [UInt8]?

    init(nilLiteral: ()) {
        (type, bytes) = (0, nil)
    }

    private init(_ type: UInt32, _ bytes: [UInt8]?) {
        (self.type, self.bytes) = (type, bytes)
    }

    /// A text, which PostgreSQL refuses if it has the character 0.
    ///
    /// That character is not replaced: the name of one tenant could become that of another.
    static func text(_ value: String?) -> Self { Parameter(ColumnType.text, value.map { Array($0.utf8) }) }

    static func bool(_ value: Bool?) -> Self { Parameter(ColumnType.bool, value.map { [$0 ? 1 : 0] }) }
    static func int4(_ value: Int32?) -> Self { Parameter(ColumnType.int4, value.map(bigEndian)) }
    static func int8(_ value: Int64?) -> Self { Parameter(ColumnType.int8, value.map(bigEndian)) }
    static func bytea(_ value: Data?) -> Self { Parameter(ColumnType.bytea, value.map { Array($0) }) }
    static func uuid(_ value: UUID?) -> Self { Parameter(ColumnType.uuid, value.map(bytes)) }

    /// A text that is JSON.
    static func jsonb(_ value: Data?) -> Self {
        // The number of the binary form, then the text.
        Parameter(ColumnType.jsonb, value.map { [1] + $0 })
    }

    static func interval(_ value: Duration?) -> Self {
        // Microseconds, days and months.
        Parameter(
            ColumnType.interval,
            value.map { bigEndian($0.clampedNanoseconds / 1000) + bigEndian(Int32(0)) + bigEndian(Int32(0)) }
        )
    }

    static func timestamptz(_ value: Date?) -> Self {
        Parameter(ColumnType.timestamptz, value.map { bigEndian(PostgresTime.microseconds(of: $0)) })
    }

    static func texts(_ values: [String?]) -> Self { array(ColumnType.texts, of: ColumnType.text, values.map(text)) }
    static func uuids(_ values: [UUID?]) -> Self { array(ColumnType.uuids, of: ColumnType.uuid, values.map(uuid)) }
    static func int4s(_ values: [Int32?]) -> Self { array(ColumnType.int4s, of: ColumnType.int4, values.map(int4)) }
    static func int8s(_ values: [Int64?]) -> Self { array(ColumnType.int8s, of: ColumnType.int8, values.map(int8)) }
    static func byteas(_ values: [Data?]) -> Self { array(ColumnType.byteas, of: ColumnType.bytea, values.map(bytea)) }
    static func jsonbs(_ values: [Data?]) -> Self { array(ColumnType.jsonbs, of: ColumnType.jsonb, values.map(jsonb)) }

    static func intervals(_ values: [Duration?]) -> Self {
        array(ColumnType.intervals, of: ColumnType.interval, values.map(interval))
    }

    private static func array(_ type: UInt32, of elementType: UInt32, _ elements: [Parameter]) -> Parameter {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + ($1.bytes?.count ?? 0) })
        // The number of dimensions, whether an element is null, the type, and the bounds of the one dimension.
        bytes += bigEndian(Int32(elements.isEmpty ? 0 : 1))
        bytes += bigEndian(Int32(elements.contains { $0.bytes == nil } ? 1 : 0))
        bytes += bigEndian(elementType)
        if !elements.isEmpty { bytes += bigEndian(Int32(clamping: elements.count)) + bigEndian(Int32(1)) }
        for element in elements {
            bytes += bigEndian(element.bytes.map { Int32(clamping: $0.count) } ?? -1)
            if let value = element.bytes { bytes += value }
        }
        return Parameter(type, bytes)
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func bytes(of id: UUID) -> [UInt8] { withUnsafeBytes(of: id.uuid) { Array($0) } }
}

/// The numbers of the types in PostgreSQL's catalog, which never change.
enum ColumnType {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let char: UInt32 = 18
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let json: UInt32 = 114
    static let varchar: UInt32 = 1043
    static let timestamptz: UInt32 = 1184
    static let interval: UInt32 = 1186
    static let uuid: UInt32 = 2950
    static let jsonb: UInt32 = 3802
    static let byteas: UInt32 = 1001
    static let int4s: UInt32 = 1007
    static let texts: UInt32 = 1009
    static let int8s: UInt32 = 1016
    static let intervals: UInt32 = 1187
    static let uuids: UInt32 = 2951
    static let jsonbs: UInt32 = 3807
}

/// PostgreSQL's count of time: microseconds since the year 2000.
enum PostgresTime {
    private static let epoch = 946_684_800.0

    /// Returns the count for a date; a date out of range becomes `-infinity` or `infinity`.
    static func microseconds(of date: Date) -> Int64 {
        let count = ((date.timeIntervalSince1970 - epoch) * 1e6).rounded()
        if count.isNaN || count >= 9.2e18 { return .max }
        return count <= -2.1e17 ? .min : Int64(count)
    }

    static func date(microseconds: Int64) -> Date {
        switch microseconds {
        case .max: .distantFuture
        case .min: .distantPast
        default: Date(timeIntervalSince1970: Double(microseconds) / 1e6 + epoch)
        }
    }
}
