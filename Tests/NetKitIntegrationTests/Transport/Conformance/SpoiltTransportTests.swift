import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests that the cases can fail: transports with one fault are refused, each by the cases about it and by no others.
@Suite(.needsTheMachine)
struct SpoiltTransportTests {
    /// One test for all of them, because each on its own would take its own share of the machine.
    private static let gate = ConformanceGate(width: 8)

    private static let all = SpoiltTransport.responses + SpoiltTransport.requests + SpoiltTransport.conduct

    @Test(arguments: all)
    func isRefusedByWhatItBreaks(_ spoilt: SpoiltTransport) async {
        let conformance = TransportConformance { _ in spoilt.fresh }
        let refusals = await withTaskGroup(of: ConformanceResult?.self) { group in
            for conformanceCase in spoilt.cases {
                group.addTask {
                    let result = await Self.gate.pass {
                        // Only a case that refuses the transport may hang, and need not do so for long.
                        let mayHang = spoilt.refusedBy.contains(conformanceCase.name)
                        return await conformance.run(
                            conformanceCase,
                            within: mayHang ? .milliseconds(700) : .seconds(60)
                        )
                    }
                    return result.verdict == .kept ? nil : result
                }
            }
            return await group.reduce(into: [ConformanceResult]()) { if let result = $1 { $0.append(result) } }
        }
        let missing = spoilt.refusedBy.subtracting(refusals.map(\.conformanceCase.name))
        #expect(missing == [], "these cases should have refused it")
        let others = refusals.filter { !spoilt.refusedBy.contains($0.conformanceCase.name) }
        #expect(others.map(\.description) == [], "these cases refused it for nothing")
    }

    @Test func everyAreaRefusesSomething() {
        let refusing = Self.all.reduce(into: Set<String>()) { $0.formUnion($1.refusedBy) }
        let cases = TransportConformance.cases
        #expect(refusing.subtracting(cases.map(\.name)) == [], "there are no such cases")
        let areas = Set(cases.filter { refusing.contains($0.name) }.map(\.area))
        #expect(areas == Set(cases.map(\.area)))
    }
}
