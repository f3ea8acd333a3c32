import Foundation

/// A program of the system that tests run where it is installed.
struct SystemTool: Sendable {
    let path: String

    static let wrk = find("wrk")

    /// Looks for a program on the path, and where servers are.
    static func find(_ name: String) -> SystemTool? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let path = (folders + ["/usr/sbin"]).map { "\($0)/\(name)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        return path.map(SystemTool.init)
    }

    /// Runs it to its end with its standard output and error in one text, and without some variables of the environment.
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
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        return try await withCheckedThrowingContinuation { continuation in
            // A thread of its own, because reading to the end blocks.
            Thread.detachNewThread {
                do {
                    try process.run()
                    let output = pipe.fileHandleForReading.readDataToEndOfFile()
                    process.waitUntilExit()
                    let text = String(decoding: output, as: UTF8.self)
                    continuation.resume(returning: (process.terminationStatus, text))
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
