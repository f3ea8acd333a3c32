import Foundation

/// The client's side of a probe, in a child process.
struct ProbeJob: Codable, Sendable {
    let probe: String
    let subject: String
    let site: ProbeSite

    /// Runs the probe, and prints its observations.
    @concurrent
    func run() async throws {
        guard let probe = Probes.all.first(where: { $0.name == probe }) else {
            throw BenchError("There is no probe \(probe).")
        }
        let subject = try ProbeSubjects.named(subject)
        let words: String
        do {
            words = try await probe.act(subject, site)
        } catch let error as NotOffered {
            words = error.text
        } catch {
            words = ProbeWords.thrown(error)
        }
        Self.say("saw: \(ProbeWords.oneLine(words))")
    }

    /// Prints the progress of a probe, in case it does not reach its end.
    static func note(_ progress: String) {
        say("at: \(ProbeWords.oneLine(progress))")
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
