import Dispatch
import Foundation
import NetKit

/// A process that a test started, with its standard output at hand.
final class RunningProcess: Sendable {
    // `Process` is not Sendable; the lock owns it.
    private let process: Locked<Process>
    private let input = Pipe()
    private let output: FileHandle
    /// Finishes when the process has ended.
    private let end: AsyncStream<Never>

    init(_ executable: URL, _ arguments: [String]) throws {
        let output = Pipe()
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        let (end, ending) = AsyncStream.makeStream(of: Never.self)
        process.terminationHandler = { _ in ending.finish() }
        try process.runAlone()
        self.end = end
        self.output = output.fileHandleForReading
        self.process = Locked(process)
    }

    /// The first line it prints, or what it printed before it ended.
    func firstLine() async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [output] in
                var line = Data()
                while let byte = try? output.read(upToCount: 1), let first = byte.first, first != UInt8(ascii: "\n") {
                    line.append(first)
                }
                continuation.resume(returning: String(decoding: line, as: UTF8.self))
            }
        }
    }

    /// Ends its input, which ends the programs that read it.
    func endInput() {
        try? input.fileHandleForWriting.close()
    }

    /// Ends its input, and waits until it is gone.
    func finish() async {
        endInput()
        for await _ in end {}
    }

    /// Ends it, and waits until it is gone: its input ends, and it is terminated.
    func stop() async {
        endInput()
        process.withLock { if $0.isRunning { $0.terminate() } }
        for await _ in end {}
    }
}
