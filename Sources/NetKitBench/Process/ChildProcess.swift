import Dispatch
import Foundation
import NetKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// This executable as a separate process, for work that may trap or hang, or whose memory is measured.
///
/// A child ends when its standard input ends, so that no child outlives its parent.
enum ChildProcess {
    /// The end of a child, and its output.
    struct Outcome: Sendable, Equatable {
        enum End: Sendable, Equatable {
            case exit(Int32)
            case signal(Int32)
            /// The child did not end within its time, and was killed.
            case timedOut
        }

        var end: End
        var output: String
        var notes: String
        var seconds: Double
    }

    static let executable: URL? = {
        if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            return URL(fileURLWithPath: path)
        }
        return Bundle.main.executableURL
    }()

    /// A program that runs a copy of this executable, which is the last of its arguments.
    struct Launcher: Sendable {
        let program: URL
        let arguments: [String]
    }

    /// Runs a hidden subcommand until it ends or its time is over.
    static func run(
        _ arguments: [String],
        timeLimit: Duration,
        under launcher: Launcher? = nil
    ) async throws -> Outcome {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        // Files instead of pipes, because they never fill up, and keep the output before a crash.
        let (output, notes) = (folder.url.appending(path: "output"), folder.url.appending(path: "notes"))
        for file in [output, notes] { try Data().write(to: file) }
        let process = try make(arguments)
        if let launcher {
            process.executableURL = launcher.program
            process.arguments = launcher.arguments + arguments
        }
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: notes)
        let start = ContinuousClock.now
        let end = try await run(process, timeLimit)
        try? input.fileHandleForWriting.close()
        return Outcome(
            end: end,
            output: (try? String(contentsOf: output, encoding: .utf8)) ?? "",
            notes: (try? String(contentsOf: notes, encoding: .utf8)) ?? "",
            seconds: start.duration(to: .now).seconds
        )
    }

    /// Starts a process, and waits until it has ended or was killed because its time is over.
    private static func run(_ process: Process, _ timeLimit: Duration) async throws -> Outcome.End {
        let isTimedOut = Flag()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            // Starting a process blocks, and the threads for tasks are few.
            DispatchQueue.global().async {
                do {
                    try process.runWithSignals()
                    let id = process.processIdentifier
                    DispatchQueue.global().asyncAfter(deadline: .now() + timeLimit.seconds) {
                        guard process.isRunning else { return }
                        isTimedOut.set()
                        _ = kill(id, SIGKILL)
                    }
                } catch {
                    process.terminationHandler = nil
                    continuation.resume(throwing: error)
                }
            }
        }
        if isTimedOut.isSet { return .timedOut }
        let status = process.terminationStatus
        return process.terminationReason == .uncaughtSignal ? .signal(status) : .exit(status)
    }

    /// Returns a process that has not been started.
    static func make(_ arguments: [String]) throws -> Process {
        guard let executable else { throw BenchError("The bench does not find its own executable.") }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        // A crash is a result here, and its backtrace, which takes seconds to make, is not read.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { _, own in own }
        return process
    }

    /// Ends this child process when its parent has ended.
    static func endWithParent() {
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while read(0, &byte, 1) > 0 {}
            _exit(0)
        }
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
