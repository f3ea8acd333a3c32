import Foundation
import NetKitTesting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// nginx as a child process, with its own configuration, on free ports of loopback.
final class Nginx {
    let version: String
    let port: UInt16
    /// The address for TLS; `nil` if no certificate could be created.
    let secure: SecureAddress?
    private let process: Process
    private let folder: ScratchFolder

    /// Starts nginx; `nil` if it is not installed.
    static func start() throws -> Nginx? {
        guard let executable = find("nginx") else { return nil }
        // The port is free when it is looked up, and may be taken a moment later.
        for _ in 0..<5 {
            if let nginx = try Nginx(executable) { return nginx }
        }
        throw BenchError("\(executable.path(percentEncoded: false)) is there, but does not start.")
    }

    private init?(_ executable: URL) throws {
        version = Self.version(of: executable)
        folder = try ScratchFolder()
        port = try Self.freePort()
        try Self.writeFiles(in: folder)
        let configuration = folder.url.appending(path: "nginx.conf")
        let certificate = try ServerCertificate.make(in: folder.url)
        let ports = (http1: try Self.freePort(), http2: try Self.freePort())
        secure = Self.address(certificate, ports)
        let settings = NginxConfiguration(
            folder: folder.url,
            port: port,
            secure: certificate.map { (ports.http1, ports.http2, $0) }
        )
        try settings.text.write(to: configuration, atomically: true, encoding: .utf8)
        process = Self.process(executable, folder.url, configuration)
        try process.runWithSignals()
        guard waitUntilReady() else {
            stop()
            return nil
        }
    }

    /// Writes the files that nginx serves.
    private static func writeFiles(in folder: ScratchFolder) throws {
        let files = folder.url.appending(path: "files")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        _ = try folder.sparseFile("files/large", size: ServerAddress.largeSize)
        try Pattern.write(ServerAddress.patternedSize, to: files.appending(path: "patterned"))
    }

    private static func address(
        _ certificate: ServerCertificate?,
        _ ports: (http1: UInt16, http2: UInt16)
    ) -> SecureAddress? {
        guard let certificate, let http1 = URL(string: "https://127.0.0.1:\(ports.http1)/"),
            let http2 = URL(string: "https://127.0.0.1:\(ports.http2)/")
        else { return nil }
        let authorities = certificate.authorities.path(percentEncoded: false)
        return SecureAddress(http1: http1, http2: http2, authorities: authorities)
    }

    /// Returns a process that has not been started.
    private static func process(_ executable: URL, _ folder: URL, _ configuration: URL) -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = [
            "-p", folder.path(percentEncoded: false), "-c", configuration.path(percentEncoded: false), "-e",
            folder.appending(path: "error.log").path(percentEncoded: false),
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.standardError
        return process
    }

    /// Ends the process and removes its folder.
    func stop() {
        if process.isRunning {
            process.terminate()
            for _ in 0..<200 where process.isRunning { usleep(10_000) }
            if process.isRunning { _ = kill(process.processIdentifier, SIGKILL) }
        }
        folder.remove()
    }

    private func waitUntilReady() -> Bool {
        for _ in 0..<500 {
            guard process.isRunning else { return false }
            if let connection = ServerSocket.connected(to: port) {
                connection.closeAtOnce()
                return true
            }
            usleep(10_000)
        }
        return false
    }

    /// Returns the location of a program, if it is installed.
    static func find(_ name: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path.split(separator: ":").map(String.init) + ["/usr/sbin"])
            .map { URL(fileURLWithPath: $0).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false)) }
    }

    /// Returns a port that was free a moment ago.
    private static func freePort() throws -> UInt16 {
        let server = try MockServer()
        defer { server.stop() }
        return server.port
    }

    /// Returns the version that nginx reports, such as `nginx/1.22.1`.
    private static func version(of executable: URL) -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = executable
        process.arguments = ["-v"]
        process.standardError = pipe
        guard (try? process.run()) != nil else { return "nginx" }
        let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return said.split(separator: " ").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? "nginx"
    }
}
