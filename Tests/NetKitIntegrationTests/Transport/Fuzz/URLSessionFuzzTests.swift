import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of mutated responses over `URLSessionTransport`, in processes of their own, because FoundationNetworking traps
/// on some.
@Suite(.needsTheMachine(for: .seconds(1200)))
struct URLSessionFuzzTests {
    @Test(.inAProcessOfItsOwn) func everyCallEndsAndNoneSpoilsTheNext() async throws {
        let (count, seed) = (FuzzJudge.count, FuzzJudge.seed)
        let folder = try TemporaryFolder()
        let log = folder.file("verdicts").path(percentEncoded: false)
        var verdicts: [String: Int] = [:]
        var next = 0
        while next < count {
            let first = next
            // The first number that is not in the log is the one that ended the process.
            await withKnownIssue("FoundationNetworking traps on some responses", isIntermittent: true) {
                await #expect(processExitsWith: .success) {
                    [seed = seed as UInt64, first = first as Int, count = count as Int, log = log as String] in
                    try await Self.judge(first..<count, seed: seed, log: log)
                }
            }
            // The folder goes with its last use.
            let seen = (try? String(contentsOf: folder.file("verdicts"), encoding: .utf8)) ?? ""
            try? FileManager.default.removeItem(atPath: log)
            for line in seen.split(separator: "\n") {
                verdicts[String(line), default: 0] += 1
                next += 1
            }
            if next < count {
                verdicts["the process trapped", default: 0] += 1
                next += 1
            }
        }
        FuzzJudge.report(verdicts, over: "URLSessionTransport")
    }

    /// Runs the checks in the child process, with a line for each result.
    private static func judge(_ numbers: Range<Int>, seed: UInt64, log: String) async throws {
        try Data().writeUnsynced(to: URL(fileURLWithPath: log))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        let judge = FuzzJudge(fuzzer: ResponseFuzzer(seed: seed), transport: URLSessionTransport())
        try await judge.run(numbers) { _, verdict in try file.write(contentsOf: Data("\(verdict)\n".utf8)) }
    }
}
