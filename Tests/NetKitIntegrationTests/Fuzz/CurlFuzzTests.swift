#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import Testing

    /// Mutated answers over `CurlTransport`, in this process: none may trap, hang or spoil the next call.
    ///
    /// `NETKIT_FUZZ=5000` sets how many; `NETKIT_FUZZ_SEED` where they begin.
    @Suite(.timeLimit(.minutes(20)))
    struct CurlFuzzTests {
        @Test func everyCallEndsAndNoneSpoilsTheNext() async throws {
            let environment = ProcessInfo.processInfo.environment
            let count = environment["NETKIT_FUZZ"].flatMap { Int($0) } ?? 60
            let seed = environment["NETKIT_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1
            let judge = FuzzJudge(fuzzer: AnswerFuzzer(seed: seed), transport: try CurlTransport())
            var verdicts: [String: Int] = [:]
            try await judge.run(0..<count) { number, verdict in
                if verdict.hasPrefix("wrong") { print("answer \(number): \(verdict)") }
                verdicts[verdict, default: 0] += 1
            }
            let summary = verdicts.sorted { $0.value > $1.value }.map { "\($0.value) × \($0.key)" }
            print("\(count) mutated answers from seed \(seed) over curl: \(summary.joined(separator: ", "))")
            #expect(verdicts.keys.filter { $0.hasPrefix("wrong") } == [])
            #expect(verdicts.values.reduce(0, +) == count)
        }
    }
#endif
