import Foundation

/// Work that a scenario has done in a child process: it goes there as JSON on the command line, and comes back as JSON.
protocol ChildJob: Codable, Sendable {
    associatedtype Result: Codable, Sendable

    /// The name on the command line of the child.
    static var name: String { get }

    /// Does the work, in the child.
    func run() async throws -> Result
}

extension ChildJob {
    /// Does the work in a child process.
    func runInChild(timeLimit: Duration) async throws -> Result {
        let payload = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        let outcome = try await ChildProcess.run(["_job", Self.name, payload], timeLimit: timeLimit)
        guard outcome.end == .exit(0) else { throw ChildFailure(job: Self.name, outcome: outcome) }
        return try JSONDecoder().decode(Result.self, from: Data(outcome.output.utf8))
    }

    /// In the child: reads the work, does it and writes what came out.
    static func serve(_ payload: String) async throws {
        let job = try JSONDecoder().decode(Self.self, from: Data(payload.utf8))
        let result = try await job.run()
        FileHandle.standardOutput.write(try JSONEncoder().encode(result))
    }
}

/// A child process that did not bring its work to an end.
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
