#if os(Linux)
    import Testing

    @testable import netkit_bench

    /// The bounds for small responses, and the contenders that they apply to.
    struct GetFiguresTests {
        /// One round, with the microseconds that each contender took for a request.
        private func results(_ microseconds: [(name: String, wall: Double)]) -> Contest.Results {
            var results = Contest.Results(names: microseconds.map(\.name))
            for (index, entry) in microseconds.enumerated() {
                results.add(Measurement(calls: 1, cpu: entry.wall * 2, wall: entry.wall), to: index)
            }
            return results
        }

        private var everybody: Contest.Results {
            results([
                ("NetKit", 20), ("CurlTransport", 12.5), ("NetKit over URLSession", 200), ("URLSessionTransport", 190),
                ("URLSession", 200), (FloorKind.epoll.name, 20), (FloorKind.poll.name, 10),
                (FloorKind.newHandles.name, 5),
            ])
        }

        @Test func theFloorIsTheFasterWayWithHandlesUsedAgain() {
            #expect(FloorKind.fastest(in: everybody) == FloorKind.poll.name)
            #expect(FloorKind.fastest(in: results([(FloorKind.epoll.name, 9), ("a", 1)])) == FloorKind.epoll.name)
            #expect(FloorKind.fastest(in: results([("a", 1)])) == nil)
        }

        @Test func eachIsMeasuredByTheFloorAndBySessions() {
            let figures = GetFigures(wire: .plain, callers: 64).figures(of: everybody)
            let values = Dictionary(figures.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
            #expect(
                values == [
                    "NetKit to the floor, requests/s, 64 callers": 0.5,
                    "NetKit to the floor, CPU, 64 callers": 2,
                    "CurlTransport to the floor, requests/s, 64 callers": 0.8,
                    "CurlTransport to the floor, CPU, 64 callers": 1.25,
                    "NetKit over URLSession to URLSession, requests/s, 64 callers": 1,
                    "NetKit to URLSession, requests/s, 64 callers": 10,
                    "NetKit to URLSession, CPU, 64 callers": 0.1,
                ]
            )
            #expect(figures.filter { !$0.isMet }.map(\.name) == ["NetKit to the floor, requests/s, 64 callers"])
        }

        @Test(arguments: [
            (GetScenario.Wire.plain, 1, [0.65, 0.70]), (.plain, 16, [0.65, 0.68]), (.plain, 64, [0.75, 0.80]),
            (.plain, 256, []), (.tls, 64, [0.80, 0.80]), (.tls, 16, []), (.http2, 64, [0.75, 0.75]),
        ])
        func theBoundDependsOnTheWireAndTheCallers(_ wire: GetScenario.Wire, _ callers: Int, _ bounds: [Double]) {
            let figures = GetFigures(wire: wire, callers: callers).figures(of: everybody)
                .filter { $0.name.contains("to the floor, requests/s") }
            #expect(figures.map(\.bound) == bounds.map { .atLeast($0) })
        }

        @Test func aFailedCallMissesAFigure() {
            var results = everybody
            results.add(Measurement(calls: 1, cpu: 1, wall: 1, failures: ["odd": 1]), to: 0)
            let figures = GetFigures(wire: .plain, callers: 256).figures(of: results)
            #expect(figures == [Figure("NetKit, failed, 256 callers", 1, .atMost(0))])
        }
    }
#endif
