import Foundation
import Testing

@testable import netkit_bench

/// Tests of the reports of probes.
struct ProbeTests {
    private func outcome(_ end: ChildProcess.Outcome.End, _ output: String = "", _ notes: String = "") -> String {
        ProbeSighting.client(ChildProcess.Outcome(end: end, output: output, notes: notes, seconds: 5.02))
    }

    @Test func theLastOutputOfAChildCounts() {
        #expect(outcome(.exit(0), "at: 1\nsaw: first\nsaw: 200 with 5 bytes\n") == "200 with 5 bytes")
        #expect(outcome(.exit(0)) == "nothing")
        #expect(outcome(.exit(3), "at: call 7\n") == "the process ended with 3 (call 7)")
    }

    @Test func aTrapComesWithItsMessage() {
        let notes = "warning: x\nFoundationNetworking/EasyHandle.swift:9: Fatal error: Transfer `completed`\n"
        #expect(outcome(.signal(4), "at: 2\n", notes) == "**trapped**: `Transfer 'completed'` (2)")
        #expect(outcome(.signal(11)) == "**trapped**: signal 11")
    }

    @Test func aHangSaysHowFarItCame() {
        #expect(outcome(.timedOut, "at: in cancellation 5\n") == "**hung**: killed after 5 s (in cancellation 5)")
    }

    @Test func theServersObservationIsAppended() {
        let seen = ChildProcess.Outcome(end: .exit(0), output: "saw: 200\n", notes: "", seconds: 1)
        #expect(ProbeSighting(part: "", outcome: seen, servers: "no body").words == "200; the server saw no body")
        #expect(ProbeSighting(part: "", outcome: seen, servers: nil).words == "200")
    }

    @Test func partsWithTheSameResultAreGrouped() {
        let sightings = [("a", "200"), ("b", "404"), ("c", "200")].map { ProbeSighting(part: $0.0, words: $0.1) }
        #expect(ProbeSighting.text(sightings) == "a, c: 200 · b: 404")
        #expect(ProbeSighting.text([ProbeSighting(part: "", words: "200")]) == "200")
    }

    @Test func repeatedRunsAreCounted() {
        let named = [("a", "200"), ("a", "404"), ("a", "200"), ("b", "404")]
        let text = ProbeSighting.text(named.map { ProbeSighting(part: $0.0, words: $0.1) })
        #expect(text == "a 2 times: 200 · a once, b once: 404")
        let plain = ["x", "y", "x"].map { ProbeSighting(part: "", words: $0) }
        #expect(ProbeSighting.text(plain) == "2 times: x · once: y")
    }

    @Test func manyPartsAreCounted() {
        let words = ["**trapped**: `x`", "**trapped**: `y`", "threw z", "200 with 5 bytes", "302 with 0 bytes", "200"]
        let text = ProbeSighting.counts(words.map { ProbeSighting(part: "", words: $0) })
        #expect(text == "3 × a response, 2 × **trapped**, 1 × an error")
    }

    @Test func cellsOfATableStayCells() {
        var report = ProbeReport(environment: .example, subjects: ["URLSession", "NetKit"])
        report.rows = [.init(name: "pipe", title: "a | b", sightings: ["x\ny", "z"])]
        let lines = report.markdown.split(separator: "\n")
        #expect(lines.contains("| what a peer or a caller does | URLSession | NetKit |"))
        #expect(lines.contains("|---|---|---|"))
        #expect(lines.contains("| a \\| b | x y | z |"))
        #expect(lines.contains("- libcurl: libcurl/8 <&> more"))
    }

    @Test func wordsStayOnTheirLine() {
        #expect(ProbeWords.oneLine("a\r\nb\0c") == "a  b c")
        #expect(ProbeWords.counted(["a", "b", "a"]) == "2 × a, 1 × b")
        #expect(ProbeWords.counted(["a"]) == "a")
    }

    #if os(Linux)
        @Test func theDefaultTransportIsProbedAsWell() throws {
            #expect(ProbeSubjects.all.map(\.name) == ["URLSession", "NetKit over URLSession", "NetKit"])
            #expect(try ProbeSubjects.named("NetKit") is NetKitSubject)
        }
    #endif

    @Test func namesAreUnique() {
        let names = Probes.names + Scenarios.names + ["all", "probes"]
        #expect(Set(names).count == names.count)
        for probe in Probes.all { #expect(Set(probe.parts).count == probe.parts.count, "\(probe.name)") }
        #expect(Set(ClientKind.all.map(\.name)).count == ClientKind.all.count)
        #expect(Set(ProbeSubjects.all.map(\.name)).count == ProbeSubjects.all.count)
    }
}
