import Foundation
import NetKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A table of SQLite, used as a queue: one insert and one commit for each entry, which is durable when it returns.
///
/// libsqlite3 is loaded when the bench runs, so that it is not needed for the build.
final class SQLiteQueue: Sendable {
    private typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
    private typealias Execute =
        @convention(c) (OpaquePointer?, UnsafePointer<CChar>, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
    private typealias Prepare =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>, OpaquePointer?
        )
        -> Int32
    private typealias Bind = @convention(c) (OpaquePointer?, Int32, UnsafeRawPointer, Int32, Int) -> Int32
    private typealias Call = @convention(c) (OpaquePointer?) -> Int32

    private struct Functions {
        let bind: Bind
        let step: Call
        let reset: Call
        let statement: OpaquePointer
    }

    /// `SQLITE_DONE`, the result of a step that has inserted.
    private static let done: Int32 = 101

    /// SQLite's functions, owned by the lock; SQLite's own lock is not needed.
    private let functions: Locked<Functions>

    init?(_ file: URL) {
        guard let library = dlopen("libsqlite3.so.0", RTLD_NOW) ?? dlopen("libsqlite3.dylib", RTLD_NOW) else {
            return nil
        }
        func find<Function>(_ name: String, _ type: Function.Type) -> Function? {
            dlsym(library, name).map { unsafeBitCast($0, to: type) }
        }
        guard let open = find("sqlite3_open", Open.self), let execute = find("sqlite3_exec", Execute.self),
            let prepare = find("sqlite3_prepare_v2", Prepare.self), let bind = find("sqlite3_bind_blob", Bind.self),
            let step = find("sqlite3_step", Call.self), let reset = find("sqlite3_reset", Call.self)
        else { return nil }
        var database: OpaquePointer?
        guard open(file.path(percentEncoded: false), &database) == 0 else { return nil }
        for text in [
            "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL",
            "CREATE TABLE queue(id INTEGER PRIMARY KEY, body BLOB)",
        ] {
            guard execute(database, text, nil, nil, nil) == 0 else { return nil }
        }
        var statement: OpaquePointer?
        guard prepare(database, "INSERT INTO queue(body) VALUES(?)", -1, &statement, nil) == 0, let statement else {
            return nil
        }
        functions = Locked(Functions(bind: bind, step: step, reset: reset, statement: statement))
    }

    func measure(_ duration: Duration) async -> Measurement {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 1024)
        return await Measurement.during(duration, callers: 1) { [self] in
            let isDone = functions.withLock { functions in
                let isBound = functions.bind(functions.statement, 1, body, Int32(body.count), -1) == 0
                let isStepped = functions.step(functions.statement) == Self.done
                return functions.reset(functions.statement) == 0 && isBound && isStepped
            }
            if !isDone { throw BenchError("SQLite could not insert.") }
        }
    }
}
