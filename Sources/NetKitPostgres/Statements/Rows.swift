import CNetKitPostgres
import NetKit

/// The result of a statement: its rows, whose values are read straight from libpq's memory.
struct Rows: Sendable, RandomAccessCollection {
    /// The number of rows that were inserted, changed, removed or selected.
    let affectedCount: Int
    let endIndex: Int
    fileprivate let storage: Storage

    var startIndex: Int { 0 }

    subscript(position: Int) -> Row { Row(storage: storage, number: Int32(clamping: position)) }

    /// Takes over a result of libpq.
    init(_ result: OpaquePointer, _ library: PostgresLibrary) {
        let api = library.functions.pointee
        storage = Storage(result: result, library: library)
        endIndex = Int(api.ntuples(result))
        affectedCount = api.cmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// Returns the only row.
    func one() throws -> Row {
        guard count == 1 else { throw Self.unexpected("The statement returned \(count) rows instead of one.") }
        return self[0]
    }

    fileprivate static func unexpected(_ text: String) -> NetKitError {
        NetKitError(
            .invalidResponse,
            text + " The schema in the database may belong to another version of NetKit.",
            outcome: .answered
        )
    }

    fileprivate struct Column {
        let name: String
        let type: UInt32
        let isBinary: Bool
    }

    /// `@unchecked Sendable` because of its C pointer: any thread may read the result, and the last owner clears it.
    fileprivate final class Storage: @unchecked Sendable {
        let result: OpaquePointer
        let library: PostgresLibrary
        let columns: [Column]

        init(result: OpaquePointer, library: PostgresLibrary) {
            (self.result, self.library) = (result, library)
            let api = library.functions.pointee
            columns = (0..<api.nfields(result)).map { index in
                Column(
                    name: api.fname(result, index).map { String(cString: $0) } ?? "",
                    type: api.ftype(result, index),
                    isBinary: api.fformat(result, index) == 1
                )
            }
        }

        /// Returns the index of a column.
        func index(of name: String) -> Int? {
            // Most names differ in length, which is faster to compare.
            let length = name.utf8.count
            return columns.firstIndex { $0.name.utf8.count == length && $0.name == name }
        }

        deinit { library.functions.pointee.clear(result) }
    }
}

/// A row of a result.
struct Row: Sendable {
    fileprivate let storage: Rows.Storage
    fileprivate let number: Int32

    /// Returns the value of a column that is never null.
    func value<Value: ColumnValue>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        guard let value = try optional(name, as: type) else {
            throw Rows.unexpected("The column \(name) is null.")
        }
        return value
    }

    /// Returns the value of a column; `nil` for null.
    func optional<Value: ColumnValue>(_ name: String, as _: Value.Type = Value.self) throws -> Value? {
        guard let index = storage.index(of: name) else {
            throw Rows.unexpected("The result has no column \(name).")
        }
        let (result, place, column) = (storage.result, Int32(truncatingIfNeeded: index), storage.columns[index])
        let api = storage.library.functions
        guard api.pointee.getisnull(result, number, place) == 0 else { return nil }
        let bytes = UnsafeRawBufferPointer(
            start: api.pointee.getvalue(result, number, place),
            count: Int(api.pointee.getlength(result, number, place))
        )
        guard column.isBinary, let value = Value(bytes, of: column.type) else {
            throw Rows.unexpected("The column \(name) has the type \(column.type), which is not a \(Value.self).")
        }
        return value
    }
}
