import Foundation
import NetKitTesting

/// A program of the system that tests run if it is installed.
struct SystemTool: Sendable {
    let path: String

    static let wrk = find("wrk")

    /// Looks for a program on the path, and in the folders of servers.
    static func find(_ name: String) -> SystemTool? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let path = (folders + ["/usr/sbin"]).map { "\($0)/\(name)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        return path.map(SystemTool.init)
    }

    /// Runs it to its end with its standard output and error in one text, and without some variables of the
    /// environment.
    func run(
        _ arguments: [String],
        without hidden: Set<String> = []
    ) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if !hidden.isEmpty {
            process.environment = ProcessInfo.processInfo.environment.filter { !hidden.contains($0.key) }
        }
        // Not a pipe: its end would come only after every process has ended that was started meanwhile and inherited
        // it.
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "output")
        try Data().writeUnsynced(to: file)
        let handle = try FileHandle(forWritingTo: file)
        process.standardOutput = handle
        process.standardError = handle
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.runAlone()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        try handle.close()
        return (status, String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}
