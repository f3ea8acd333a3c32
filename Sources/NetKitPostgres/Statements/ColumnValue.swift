import Foundation

/// A Swift type that a result column can be decoded as.
protocol ColumnValue: Sendable {
    /// Reads a value in PostgreSQL's binary form; `nil` if it has another type or form.
    init?(_ bytes: UnsafeRawBufferPointer, of type: UInt32)
}

extension Int64: ColumnValue {
    init?(_ bytes: UnsafeRawBufferPointer, of type: UInt32) {
        switch (type, bytes.count) {
        case (ColumnType.int2, 2): self = Int64(bytes.bigEndian(at: 0, as: Int16.self))
        case (ColumnType.int4, 4): self = Int64(bytes.bigEndian(at: 0, as: Int32.self))
        case (ColumnType.int8, 8): self = bytes.bigEndian(at: 0, as: Int64.self)
        default: return nil
        }
    }
}

extension Int: ColumnValue {
    init?(_ bytes: UnsafeRawBufferPointer, of type: UInt32) {
        guard let value = Int64(bytes, of: type).flatMap({ Int(exactly: $0) }) else { return nil }
        self = value
    }
}

extension Bool: ColumnValue {
    init?(_ bytes: UnsafeRawBufferPointer, of type: UInt32) {
        guard type == ColumnType.bool, bytes.count == 1 else { return nil }
        self = bytes[0] != 0
    }
}

extension String: ColumnValue {
    init?(_ bytes: UnsafeRawBufferPointer, of type: UInt32) {
        switch type {
        case ColumnType.text, ColumnType.varchar, ColumnType.name, ColumnType.char, ColumnType.json:
            self = String(decoding: bytes, as: UTF8.self)
        case ColumnType.jsonb where bytes.first == 1:
            self = String(decoding: bytes.dropFirst(), as: UTF8.self)
        default: return nil
        }
    }
}

extension Data: ColumnValue {
    /// The bytes of a `bytea`, or the text of JSON.
    init?(_ bytes: UnsafeRawBufferPointer, of type: UInt32) {
        switch type {
        case ColumnType.bytea, ColumnType.json: self = Data(bytes)
        case ColumnType.jsonb where bytes.first == 1: self = Data(bytes.dropFirst())
        default: return nil
        }
    }
}

extension UUID: ColumnValue {
    init?(_ bytes: UnsafeRawBufferPointer, of type: UInt32) {
        guard type == ColumnType.uuid, bytes.count == 16 else { return nil }
        self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}

extension Date: ColumnValue {
    init?(_ bytes: UnsafeRawBufferPointer, of type: UInt32) {
        guard type == ColumnType.timestamptz, bytes.count == 8 else { return nil }
        self = PostgresTime.date(microseconds: bytes.bigEndian(at: 0, as: Int64.self))
    }
}

extension Duration: ColumnValue {
    /// An interval; a day has 24 hours, and a month 30 days.
    init?(_ bytes: UnsafeRawBufferPointer, of type: UInt32) {
        guard type == ColumnType.interval, bytes.count == 16 else { return nil }
        let days = Int64(bytes.bigEndian(at: 8, as: Int32.self)) + 30 * Int64(bytes.bigEndian(at: 12, as: Int32.self))
        self = .microseconds(bytes.bigEndian(at: 0, as: Int64.self)) + .seconds(86_400) * days
    }
}

/// An array of one dimension without nulls.
extension Array: ColumnValue where Element: ColumnValue {
    init?(_ bytes: UnsafeRawBufferPointer, of type: UInt32) {
        guard bytes.count >= 12 else { return nil }
        let dimensions = bytes.bigEndian(at: 0, as: Int32.self)
        let elementType = bytes.bigEndian(at: 8, as: UInt32.self)
        self = []
        if dimensions == 0 { return }
        guard dimensions == 1, bytes.count >= 20 else { return nil }
        var position = 20
        for _ in 0..<Swift.max(0, bytes.bigEndian(at: 12, as: Int32.self)) {
            guard bytes.count - position >= 4 else { return nil }
            let length = Int(bytes.bigEndian(at: position, as: Int32.self))
            position += 4
            guard length >= 0, length <= bytes.count - position,
                let element = Element(
                    UnsafeRawBufferPointer(rebasing: bytes[position..<position + length]),
                    of: elementType
                )
            else { return nil }
            append(element)
            position += length
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the big-endian number at an offset; the caller has checked the length.
    fileprivate func bigEndian<Number: FixedWidthInteger>(at offset: Int, as _: Number.Type) -> Number {
        Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
