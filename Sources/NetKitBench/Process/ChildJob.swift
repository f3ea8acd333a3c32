import Foundation

/// Work of a scenario for a child process.
///
/// The child receives it as JSON on the command line, and returns JSON.
protocol ChildJob: Codable, Sendable {
    associatedtype Result: Codable, Sendable

    /// The name on the command line of the child.
    static var name: String { get }

    /// Performs the work, in the child process.
    func run() async throws -> Result
}

extension ChildJob {
    /// Performs the work in a child process.
    func runInChild(timeLimit: Duration) async throws -> Result {
        try JSONDecoder().decode(Result.self, from: Data(try await outcomeInChild(timeLimit: timeLimit).output.utf8))
    }

    /// Performs the work in a child process, which a launcher may start, and returns how it ended and its output.
    func outcomeInChild(
        timeLimit: Duration,
        under launcher: ChildProcess.Launcher? = nil
    ) async throws -> ChildProcess.Outcome {
        let payload = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        let outcome = try await ChildProcess.run(["_job", Self.name, payload], timeLimit: timeLimit, under: launcher)
        guard outcome.end == .exit(0) else { throw ChildFailure(job: Self.name, outcome: outcome) }
        return outcome
    }

    /// Reads the work in the child process, performs it, and writes the result.
    static func serve(_ payload: String) async throws {
        let job = try JSONDecoder().decode(Self.self, from: Data(payload.utf8))
        let result = try await job.run()
        FileHandle.standardOutput.write(try JSONEncoder().encode(result))
    }
}

/// The error of a child process that did not finish its work.
struct ChildFailure: Error, CustomStringConvertible {
    let job: String
    let outcome: ChildProcess.Outcome

    var description: String { "\(job): the child process \(words)" }

    /// The result in words.
    var words: String {
        let last =
            outcome.notes.split(separator: "\n").last { $0.contains("rror") }
            ?? outcome.notes.split(separator: "\n").last
        let said = last.map { ": \($0)" } ?? ""
        return switch outcome.end {
        case .exit(let code): "ended with \(code)\(said)"
        case .signal(let number): "ended by signal \(number)\(said)"
        case .timedOut: "hung, and was killed after \(NumberText.seconds(outcome.seconds))"
        }
    }
}
