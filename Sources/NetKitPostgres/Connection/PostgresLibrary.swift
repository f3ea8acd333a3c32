import CNetKitPostgres
import NetKit

/// The libpq of this process.
///
/// `@unchecked Sendable` because of its C pointers: `functions` is filled once and never changed, so no lock is needed.
final class PostgresLibrary: @unchecked Sendable {
    let functions: UnsafePointer<nk_pg_api>

    /// Whether a connection can send a statement before the previous one has ended, which needs libpq 14.
    let hasPipelines: Bool

    private init(_ functions: UnsafePointer<nk_pg_api>) {
        self.functions = functions
        let api = functions.pointee
        hasPipelines = api.enterPipelineMode != nil && api.exitPipelineMode != nil && api.pipelineSync != nil
    }

    /// The library that the system finds, once it is known.
    private static let found = Locked<PostgresLibrary?>(nil)

    /// Returns the library that the system finds.
    ///
    /// A failure is not remembered, because it may come from a lack of file descriptors or memory that passes.
    static func standard() throws -> PostgresLibrary {
        try found.withLock { found throws -> PostgresLibrary in
            if let found { return found }
            let library = try load(path: String(cString: nk_pg_library_name))
            found = library
            return library
        }
    }

    /// Loads a library.
    ///
    /// - Throws: An error of the code `.unsupported` if it or one of its functions is missing, and `.storeUnavailable`
    ///   if this machine lacks the resources to open it.
    static func load(path: String) throws -> PostgresLibrary {
        // Never freed after a success: the functions stay in use until the process ends.
        let functions = UnsafeMutablePointer<nk_pg_api>.allocate(capacity: 1)
        var reason = [CChar](repeating: 0, count: 512)
        switch nk_pg_load(path, functions, &reason, reason.count) {
        case nk_pg_load_ok where functions.pointee.libVersion() >= 130_000:
            return PostgresLibrary(functions)
        case nk_pg_load_ok:
            defer { functions.deallocate() }
            throw unsupported(
                path,
                "its version is \(functions.pointee.libVersion() / 10_000), and the oldest supported version is 13"
            )
        case let result:
            functions.deallocate()
            let bytes = reason.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
            let text = String(decoding: bytes, as: UTF8.self)
            throw result == nk_pg_load_no_resources ? unavailable(path, text) : unsupported(path, text)
        }
    }

    private static func unavailable(_ path: String, _ reason: String) -> NetKitError {
        NetKitError(
            .storeUnavailable,
            "PostgreSQL's client library \(path) could not be opened: \(reason). Raise the limit of open files, or give "
                + "the process more memory, and open the database again."
        )
    }

    private static func unsupported(_ path: String, _ reason: String) -> NetKitError {
        NetKitError(
            .unsupported,
            "NetKitPostgres needs PostgreSQL's client library, and \(path) cannot be used: \(reason). Install the package "
                + "libpq5 (Debian, Ubuntu), libpq (Alpine, Homebrew) or postgresql-libs (Fedora)."
        )
    }
}
