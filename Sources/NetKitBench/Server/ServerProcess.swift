import Dispatch
import Foundation

/// The servers of a run, in a child process that ends with this process at the latest.
final class ServerProcess {
    let address: ServerAddress
    private let process: Process
    private let input: Pipe

    private init(address: ServerAddress, process: Process, input: Pipe) {
        (self.address, self.process, self.input) = (address, process, input)
    }

    /// Starts the servers, passes them to a closure, and ends them in any case.
    static func lend<Result>(
        _ choice: ServerChoice,
        _ body: (ServerAddress) async throws -> Result
    ) async throws -> Result {
        let server = try await start(choice)
        defer { server.stop() }
        return try await body(server.address)
    }

    private static func start(_ choice: ServerChoice) async throws -> ServerProcess {
        let process = try ChildProcess.make(["_serve", choice.rawValue])
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        let line = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, any Error>) in
            DispatchQueue.global().async {
                do {
                    try process.runWithSignals()
                    var line = Data()
                    while !line.contains(UInt8(ascii: "\n")) {
                        let data = output.fileHandleForReading.availableData
                        guard !data.isEmpty else { break }
                        line.append(data)
                    }
                    continuation.resume(returning: line)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        guard let address = try? JSONDecoder().decode(ServerAddress.self, from: line) else {
            try? input.fileHandleForWriting.close()
            throw BenchError("The server did not start.")
        }
        return ServerProcess(address: address, process: process, input: input)
    }

    private func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
