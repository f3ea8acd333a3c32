import Foundation

/// A pgbouncer in transaction mode before a PostgreSQL server, behind which notices do not arrive.
final class DatabasePooler {
    let url: String
    private let process: WatchedProcess

    /// Starts a pooler; `nil` if pgbouncer is not installed.
    static func start(before server: DatabaseAddress) async throws -> DatabasePooler? {
        guard let program = DatabaseAddress.tool("pgbouncer") else { return nil }
        return try await DatabasePooler(program, server)
    }

    private init(_ program: String, _ server: DatabaseAddress) async throws {
        let folder = try ScratchFolder()
        let path = folder.url.path(percentEncoded: false)
        let users = folder.url.appending(path: "users.txt")
        let settings = folder.url.appending(path: "pgbouncer.ini")
        try Data("\"postgres\" \"\"\n".utf8).write(to: users)
        let text = """
            [databases]
            * = host=\(server.folder)
            [pgbouncer]
            listen_addr =
            listen_port = 6432
            unix_socket_dir = \(path)
            auth_type = trust
            auth_file = \(users.path(percentEncoded: false))
            pool_mode = transaction

            """
        try Data(text.utf8).write(to: settings)
        for place in [path, users.path(percentEncoded: false), settings.path(percentEncoded: false)] {
            try ServerUser.own(place)
        }
        url = "postgres://postgres@/postgres?host=\(path)&port=6432"
        let command = ServerUser.command(program, [settings.path(percentEncoded: false)])
        process = try WatchedProcess(command, endedBy: "TERM", in: folder)
        let socket = folder.url.appending(path: ".s.PGSQL.6432").path(percentEncoded: false)
        for _ in 0..<500 {
            if FileManager.default.fileExists(atPath: socket) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        stop()
        throw BenchError("pgbouncer is there, but does not start.")
    }

    /// Ends the pooler and removes its files.
    func stop() { process.stop() }
}
