import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A PostgreSQL server as a child process, with its files in a temporary folder, on a Unix domain socket.
///
/// Commits are written to the disk, as on a server in production.
final class DatabaseServer {
    let address: DatabaseAddress
    private let process: WatchedProcess

    /// Starts a server; `nil` if PostgreSQL is not installed.
    static func start() async throws -> DatabaseServer? {
        guard DatabaseAddress.tool("initdb") != nil, DatabaseAddress.tool("pgbench") != nil else { return nil }
        return try await DatabaseServer()
    }

    private init() async throws {
        let folder = try ScratchFolder()
        let path = folder.url.path(percentEncoded: false)
        try ServerUser.own(path)
        address = DatabaseAddress(folder: path)
        let data = path + "/data"
        _ = try await address.run("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"])
        // What a server with little memory has; the default holds back what the disk can do.
        let settings = [
            "listen_addresses=", "unix_socket_directories=\(path)", "shared_buffers=256MB", "max_wal_size=4GB",
        ]
        let command = ServerUser.command(
            try DatabaseAddress.neededTool("postgres"),
            ["-D", data] + settings.flatMap { ["-c", $0] }
        )
        process = try WatchedProcess(command, endedBy: "QUIT", in: folder)
        for _ in 0..<500 {
            if (try? await address.sql("SELECT 1")) != nil { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        stop()
        throw BenchError("PostgreSQL is there, but does not start.")
    }

    /// Ends the server and removes its files.
    func stop() { process.stop() }
}

/// The address of a PostgreSQL server, and the programs that work with it.
struct DatabaseAddress: Codable, Sendable {
    /// The folder of the socket.
    let folder: String

    var url: String { "postgres://postgres@/postgres?host=\(folder)" }

    /// Runs SQL, each statement in a transaction of its own, and returns what it prints: a line for each row.
    @discardableResult
    func sql(_ statements: String...) async throws -> String {
        let options = [
            "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "postgres", "-d", "postgres",
        ]
        return try await run("psql", options + statements.flatMap { ["-c", $0] })
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs a script of pgbench, and returns the number of transactions a second.
    func pgbench(_ script: String, clients: Int, _ extent: [String]) async throws -> Double {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let file = scratch.url.appending(path: "script.sql")
        try Data(script.utf8).write(to: file)
        try ServerUser.own(scratch.url.path(percentEncoded: false))
        let options = [
            "-n", "-M", "extended", "-c", "\(clients)", "-j", "\(min(2, clients))", "-h", folder, "-U", "postgres",
            "-f", file.path(percentEncoded: false),
        ]
        let output = try await run("pgbench", options + extent + ["postgres"])
        guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let rate = line.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) })
        else { throw BenchError("pgbench printed no rate: \(output)") }
        return rate
    }

    /// Runs a program of PostgreSQL, and returns what it prints.
    func run(_ name: String, _ arguments: [String]) async throws -> String {
        let command = ServerUser.command(try Self.neededTool(name), arguments)
        return try await withCheckedThrowingContinuation { continuation in
            // The program blocks, and the threads for tasks are few.
            DispatchQueue.global().async {
                continuation.resume(with: Result { try Self.output(of: command) })
            }
        }
    }

    private static func output(of command: [String]) throws -> String {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.runWithSignals()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaints = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchError("\(command.joined(separator: " ")): \(complaints)")
        }
        return printed
    }

    static func neededTool(_ name: String) throws -> String {
        guard let tool = tool(name) else { throw BenchError("\(name) is missing. Install the package postgresql.") }
        return tool
    }

    /// Returns the path of a program of PostgreSQL; Debian keeps those of the server off the search path.
    static func tool(_ name: String) -> String? {
        if let found = Nginx.find(name) { return found.path(percentEncoded: false) }
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
            .map { "/usr/lib/postgresql/\($0)/bin/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

/// The user that runs the server, which refuses to run as root.
enum ServerUser {
    private static let numbers: (user: uid_t, group: gid_t)? = {
        guard getuid() == 0 else { return nil }
        for name in ["postgres", "nobody"] {
            if let entry = getpwnam(name) { return (entry.pointee.pw_uid, entry.pointee.pw_gid) }
        }
        return nil
    }()

    /// Makes the user the owner of a file or folder.
    static func own(_ path: String) throws {
        guard let numbers else { return }
        guard chown(path, numbers.user, numbers.group) == 0 else {
            throw BenchError("\(path) cannot change its owner.")
        }
    }

    /// Returns a command that runs a program as the user.
    static func command(_ path: String, _ arguments: [String]) -> [String] {
        guard let numbers, let setpriv = Nginx.find("setpriv") else { return [path] + arguments }
        let options = ["--reuid=\(numbers.user)", "--regid=\(numbers.group)", "--clear-groups"]
        return [setpriv.path(percentEncoded: false)] + options + [path] + arguments
    }
}
