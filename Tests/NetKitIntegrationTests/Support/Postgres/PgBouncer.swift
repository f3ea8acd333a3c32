import Foundation
import NetKitTesting
import Testing

/// pgbouncer before a server, in transaction mode.
final class PgBouncer: Sendable {
    let port: ReservedPort
    private let folder: RunFolder
    private let process: RunFolder

    /// Starts one with a number of connections for each database.
    init(before server: PostgresServer, poolSize: Int = 5) async throws {
        let executable = try Peer.pgbouncer.required().path
        port = try ReservedPort()
        folder = try OtherUser.folder()
        let file = folder.url.appending(path: "pgbouncer.ini")
        let users = folder.url.appending(path: "users.txt")
        try Data("\"postgres\" \"\"\n".utf8).writeUnsynced(to: users)
        let configuration = """
            [databases]
            * = host=\(server.host) port=\(server.port.number)
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port.number)
            unix_socket_dir =
            auth_type = trust
            auth_file = \(users.path())
            pool_mode = transaction
            default_pool_size = \(poolSize)

            """
        try Data(configuration.utf8).writeUnsynced(to: file)
        process = try RunFolder(in: OtherUser.parent) { _ in OtherUser.command(executable, [file.path()]) }
        try await process.waitForListeners(at: [port])
    }

    /// The URL of a database through it.
    func url(_ database: String) -> String { "postgres://postgres@127.0.0.1:\(port.number)/\(database)" }
}
