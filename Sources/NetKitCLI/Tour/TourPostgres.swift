import Foundation
import NetKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A PostgreSQL server for the tour, in a temporary folder and on a Unix domain socket.
///
/// A shell keeps watch: it reads from a pipe that ends with this process, however that ends. It then stops the server
/// and removes the folder.
final class TourPostgres: Sendable {
    let folder: URL
    private let watch: Locked<Process>
    private let input = Pipe()

    /// Starts a server; it accepts connections some time later.
    ///
    /// - Throws: An error that names the package if no server is installed.
    init() throws {
        guard let initdb = Self.tool("initdb"), let postgres = Self.tool("postgres") else {
            throw NetKitError(
                .unsupported,
                "There is no PostgreSQL server on this machine. Install it, for example Debian's package `postgresql`."
            )
        }
        // Not the folder for temporary files: its path may be too long for a socket, and closed to another user.
        folder = URL(fileURLWithPath: "/tmp/netkit-tour-\(UUID().uuidString.lowercased())", isDirectory: true)
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        let process = Process()
        watch = Locked(process)
        do {
            let user = try Self.commandOfOrdinaryUser(owning: folder)
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", Self.script, "sh", folder.path(percentEncoded: false), initdb, postgres] + user
            process.currentDirectoryURL = folder
            process.standardInput = input
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    /// The URL of the server's database.
    var url: String { "postgres://postgres@/postgres?host=\(folder.path(percentEncoded: false))" }

    /// The reason why the server does not run, if it ended.
    var problem: String? {
        guard FileManager.default.fileExists(atPath: file("ended")) else { return nil }
        return (try? String(contentsOfFile: file("log"), encoding: .utf8)) ?? ""
    }

    /// Stops the server, and waits until it and the folder are gone.
    func stop() {
        try? input.fileHandleForWriting.close()
        watch.withLock { $0.waitUntilExit() }
    }

    private func file(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    // Control-C reaches the shell as well, and must not end it. A commit does not wait for the disk, because the data
    // is removed after the tour.
    private static let script = """
        trap '' HUP INT TERM
        folder=$1 initdb=$2 postgres=$3
        shift 3
        child=
        if "$@" "$initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C --no-sync >"$folder/log" 2>&1; then
            "$@" "$postgres" -D "$folder/data" -c listen_addresses= -c "unix_socket_directories=$folder" \\
                -c fsync=off >>"$folder/log" 2>&1 &
            child=$!
        else
            : >"$folder/ended"
        fi
        cat >/dev/null
        if [ -n "$child" ]; then
            kill -QUIT "$child"
            wait
        fi
        rm -rf "$folder"
        """

    /// Returns the path of a program of PostgreSQL; Debian keeps those of servers off the path.
    private static func tool(_ name: String) -> String? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let newest = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
        let usual = ["/usr/local/pgsql/bin", "/usr/libexec/postgresql"]
        let folders = path + newest.map { "/usr/lib/postgresql/\($0)/bin" } + usual
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Gives the folder to an ordinary user, and returns the command that runs another one as that user; empty if this
    /// process is not run by root.
    ///
    /// The server refuses to run as root.
    private static func commandOfOrdinaryUser(owning folder: URL) throws -> [String] {
        guard getuid() == 0 else { return [] }
        guard let setpriv = tool("setpriv"),
            let entry = getpwnam("postgres") ?? getpwnam("nobody")
        else {
            throw NetKitError(.unsupported, "A PostgreSQL server does not run as root. Run the tour as another user.")
        }
        let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        guard chown(folder.path(percentEncoded: false), user, group) == 0 else {
            throw NetKitError(.unsupported, "The folder of the server cannot be given to another user.")
        }
        return [setpriv, "--reuid=\(user)", "--regid=\(group)", "--clear-groups"]
    }
}
