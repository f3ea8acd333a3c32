import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests that the cases can fail: transports with one fault are refused, each by the cases about it and by no others.
@Suite(.needsTheMachine)
struct SpoiltTransportTests {
    /// One gate for all of them, because together they would take the whole machine. It is wide, because most of the
    /// time goes by while a transport hangs.
    private static let gate = ConformanceGate(width: 24)

    private static let all = SpoiltTransport.responses + SpoiltTransport.requests + SpoiltTransport.conduct

    @Test(arguments: all)
    func isRefusedByWhatItBreaks(_ spoilt: SpoiltTransport) async {
        let conformance = TransportConformance { _ in spoilt.fresh }
        let results = await withTaskGroup(of: ConformanceResult.self) { group in
            for conformanceCase in spoilt.cases {
                group.addTask {
                    await Self.gate.pass {
                        // Only a case that refuses the transport may hang, and need not do so for long.
                        let mayHang = spoilt.refusedBy.contains(conformanceCase.name)
                        return await conformance.run(
                            conformanceCase,
                            within: mayHang ? .milliseconds(700) : .seconds(60)
                        )
                    }
                }
            }
            return await group.reduce(into: [ConformanceResult]()) { $0.append($1) }
        }
        let missing = spoilt.refusedBy.subtracting(results.map(\.conformanceCase.name))
        #expect(missing == [], "there are no such cases")
        let wrong = results.filter { ($0.verdict == .kept) == spoilt.refusedBy.contains($0.conformanceCase.name) }
        #expect(wrong.map { "\($0) after \($0.duration)" } == [], "these cases judged it wrongly")
    }

    @Test func everyAreaRefusesSomething() {
        let refusing = Self.all.reduce(into: Set<String>()) { $0.formUnion($1.refusedBy) }
        let cases = TransportConformance.cases
        #expect(refusing.subtracting(cases.map(\.name)) == [], "there are no such cases")
        let areas = Set(cases.filter { refusing.contains($0.name) }.map(\.area))
        #expect(areas == Set(cases.map(\.area)))
    }
}
