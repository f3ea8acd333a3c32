import Foundation
import NetKit
import NetKitTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A PostgreSQL server of the tests' own, on a Unix domain socket and a port of the loopback interface.
///
/// Every role is let in, only `secured` with the password `secret`. The server and its files go when the process of the
/// tests has ended, however that ends.
final class PostgresServer: Sendable {
    /// The server of this run of the tests, started when first asked for; each test makes a database of its own there.
    static let shared = Task { try await PostgresServer() }

    let port: ReservedPort
    private let folder: RunFolder
    private let process: Locked<RunFolder?> = Locked(nil)
    private let settings: [String]

    /// Creates and starts a server. Tests that stop it or change its settings have one of their own.
    init(_ settings: [String] = []) async throws {
        _ = try Peer.postgres.required()
        self.settings = settings
        port = try ReservedPort()
        folder = try OtherUser.folder()
        let data = folder.url.appending(path: "data").path()
        let made = try await Self.run(
            "initdb",
            ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        )
        guard made.status == 0 else { throw PeerError("initdb: \(made.output)") }
        try Data(Self.access.utf8).writeUnsynced(to: URL(fileURLWithPath: data + "/pg_hba.conf"))
        try await start()
        _ = try await sql("CREATE ROLE secured LOGIN PASSWORD 'secret'")
    }

    private static let access = """
        local all secured scram-sha-256
        host all secured 127.0.0.1/32 scram-sha-256
        local all all trust
        host all all 127.0.0.1/32 trust

        """

    /// The folder of the socket.
    var host: String { folder.url.path() }

    /// Starts the server again after `stop`.
    func start() async throws {
        let program = try #require(Self.tool("postgres")).path
        let data = folder.url.appending(path: "data").path()
        var options = [
            "listen_addresses=127.0.0.1", "unix_socket_directories=\(host)", "port=\(port.number)", "fsync=off",
            "max_connections=1000",
        ]
        options += settings
        let arguments = ["-D", data] + options.flatMap { ["-c", $0] }
        // Immediate shutdown, which leaves no shared memory behind.
        var started = try RunFolder(in: OtherUser.parent, endedBy: "QUIT") { _ in OtherUser.command(program, arguments)
        }
        process.withLock { $0 = started }
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(60)
        while try await Self.run("pg_isready", ["-q", "-h", host, "-p", String(port.number)]).status != 0 {
            guard clock.now < deadline else { throw PeerError("the server does not start: \(started.output)") }
            if started.output.contains("is still in use") || started.output.contains("already exists") {
                // Processes of the killed server have not noticed yet.
                await started.remove()
                started = try RunFolder(in: OtherUser.parent, endedBy: "QUIT") { _ in
                    OtherUser.command(program, arguments)
                }
                process.withLock { [started] in $0 = started }
            }
            try await clock.sleep(for: .milliseconds(10))
        }
    }

    /// Ends the server as a power cut would, and waits until it has ended.
    func stop() async {
        await process.withLock { process in
            defer { process = nil }
            return process
        }?.remove()
    }

    /// Kills the first process of the server with SIGKILL; the processes of the connections find out by themselves.
    func kill() async throws {
        let file = folder.url.appending(path: "data/postmaster.pid")
        let first = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").first
        let number = try #require(first.flatMap { pid_t($0) })
        Self.signal(number, SIGKILL)
        await stop()
    }

    /// Sends a signal to a process of a server.
    @discardableResult
    static func signal(_ process: pid_t, _ number: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.kill(process, number)
        #elseif canImport(Musl)
            Musl.kill(process, number)
        #else
            Darwin.kill(process, number)
        #endif
    }

    /// Makes an empty database, and returns its name.
    func makeDatabase() async throws -> String {
        let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        _ = try await sql("CREATE DATABASE \(name) TEMPLATE template0")
        return name
    }

    /// The URL of a database, by the socket or by the loopback interface.
    func url(_ database: String, user: String = "postgres", overTCP: Bool = false, port other: UInt16? = nil) -> String
    {
        let place = overTCP || other != nil ? "127.0.0.1:\(other ?? port.number)" : ""
        let socket = place.isEmpty ? "&host=\(host)&port=\(port.number)" : ""
        return "postgres://\(user)@\(place)/\(database)?connect_timeout=5\(socket)"
    }

    /// Runs SQL with psql, and returns its output: a line for each row, without heads.
    @discardableResult
    func sql(_ text: String, in database: String = "postgres", as user: String = "postgres") async throws -> String {
        let arguments = [
            "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", host, "-p", String(port.number), "-U", user, "-d",
            database, "-c", text,
        ]
        let result = try await Self.run("psql", arguments, asOtherUser: false)
        guard result.status == 0 else { throw PeerError("psql: \(result.output)") }
        return result.output.trimmingCharacters(in: .newlines)
    }

    /// A program of PostgreSQL of any version; Debian keeps servers off the path.
    static func tool(_ name: String) -> SystemTool? {
        if let tool = SystemTool.find(name) { return tool }
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let newest = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
        let folders =
            newest.map { "/usr/lib/postgresql/\($0)/bin" } + ["/usr/local/pgsql/bin", "/usr/libexec/postgresql"]
        let path = folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        return path.map(SystemTool.init)
    }

    private static func run(
        _ name: String,
        _ arguments: [String],
        asOtherUser: Bool = true
    ) async throws -> (status: Int32, output: String) {
        let program = try #require(Self.tool(name), "install Debian's postgresql")
        guard asOtherUser else { return try await program.run(arguments) }
        let command = OtherUser.command(program.path, arguments)
        return try await SystemTool(path: command[0]).run(Array(command.dropFirst()))
    }
}

/// The ordinary user for servers that refuse to run as root.
enum OtherUser {
    /// The user's numbers; `nil` if the tests are not run by root.
    private static let numbers: (user: uid_t, group: gid_t)? = {
        guard getuid() == 0 else { return nil }
        for name in ["postgres", "nobody"] {
            if let entry = getpwnam(name) { return (entry.pointee.pw_uid, entry.pointee.pw_gid) }
        }
        return nil
    }()

    /// The folder for the user's folders, because the user may have no access to that of the tests.
    static var parent: URL {
        numbers == nil ? FileManager.default.temporaryDirectory : URL(fileURLWithPath: "/tmp", isDirectory: true)
    }

    /// Makes a temporary folder that the user may use.
    static func folder() throws -> RunFolder {
        let folder = try RunFolder(in: parent)
        own(folder.url)
        return folder
    }

    /// Gives a file or folder to the user.
    static func own(_ url: URL) {
        if let numbers { _ = chown(url.path(), numbers.user, numbers.group) }
    }

    /// Returns a command that runs a program as the user.
    static func command(_ path: String, _ arguments: [String]) -> [String] {
        guard let numbers, let setpriv = SystemTool.find("setpriv") else { return [path] + arguments }
        let options = ["--reuid=\(numbers.user)", "--regid=\(numbers.group)", "--clear-groups"]
        return [setpriv.path] + options + [path] + arguments
    }
}
