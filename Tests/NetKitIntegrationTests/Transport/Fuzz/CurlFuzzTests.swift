#if os(Linux)
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of mutated responses over `CurlTransport`, in this process: none may trap, hang or affect the next call.
    @Suite(.needsTheMachine(for: .seconds(1200)))
    struct CurlFuzzTests {
        @Test func everyCallEndsAndNoneSpoilsTheNext() async throws {
            let judge = FuzzJudge(fuzzer: ResponseFuzzer(seed: FuzzJudge.seed), transport: try CurlTransport())
            var verdicts: [String: Int] = [:]
            try await judge.run(0..<FuzzJudge.count) { number, verdict in
                if verdict.hasPrefix("wrong") { print("response \(number): \(verdict)") }
                verdicts[verdict, default: 0] += 1
            }
            FuzzJudge.report(verdicts, over: "CurlTransport")
        }
    }
#endif
