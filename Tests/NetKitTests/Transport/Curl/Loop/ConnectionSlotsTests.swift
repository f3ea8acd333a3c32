#if os(Linux)
    import NetKitTesting
    import Testing

    @testable import NetKit

    struct ConnectionSlotsTests {
        private let host = Self.host("one")
        private let other = Self.host("two")

        private static func host(_ name: String) -> CurlAddress.Host {
            CurlAddress(text: "http://\(name).example/items?limit=2").host
        }

        @Test func aCallerWithoutAPermitWaitsUntilOneIsReturned() async throws {
            let places = ConnectionSlots(bound: 1)
            try await places.takeWhenFree(for: host, .test())
            let second = Task { try await places.takeWhenFree(for: host, .test()) }
            let third = Task { try await places.takeWhenFree(for: host, .test()) }
            places.giveBack(host)
            // One of the two has it now, and the other gets it next.
            let count = await withTaskGroup(of: Bool.self) { group in
                for task in [second, third] { group.addTask { (try? await task.value) != nil } }
                var count = 0
                for await hasPlace in group where hasPlace {
                    count += 1
                    places.giveBack(host)
                }
                return count
            }
            #expect(count == 2)
        }

        @Test func waitingEndsWithItsTask() async throws {
            let places = ConnectionSlots(bound: 1)
            try await places.takeWhenFree(for: host, .test())
            let waiting = Task { try await places.takeWhenFree(for: host, .test()) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            places.giveBack(host)
            try await places.takeWhenFree(for: host, .test())
        }

        @Test func waitingEndsWithItsCall() async throws {
            let places = ConnectionSlots(bound: 1)
            try await places.takeWhenFree(for: host, .test())
            let context = RequestContext.test()
            let waiting = Task { try await places.takeWhenFree(for: host, context) }
            context.call.stop(.closed)
            let error = await #expect(throws: NetKitError.self) { try await waiting.value }
            #expect(error?.code == .closed)
            places.giveBack(host)
            try await places.takeWhenFree(for: host, .test())
        }

        @Test func aBoundOfZeroIsNone() async throws {
            let places = ConnectionSlots(bound: 0)
            for _ in 0..<100 { try await places.takeWhenFree(for: host, .test()) }
        }

        @Test func aFullHostLeavesThePlacesOfOthersFree() throws {
            let places = ConnectionSlots(bound: 3, perHost: 1)
            #expect(try places.takeIfFree(for: host) == .taken)
            #expect(try places.takeIfFree(for: host) == .none)
            #expect(try places.takeIfFree(for: other) == .taken)
            places.giveBack(host)
            #expect(try places.takeIfFree(for: host) == .taken)
        }

        /// A host over HTTP/2 has all slots except those that another host may have.
        @Test func aMultiplexedHostLeavesPlacesToOthers() async throws {
            let places = ConnectionSlots(bound: 3, perHost: 1)
            #expect(try places.takeIfFree(for: host) == .taken)
            let waiting = (0..<2).map { _ in Task { try await places.takeWhenFree(for: host, .test()) } }
            places.noteVersion(of: host, isMultiplexed: true)
            try await waitUntil { places.inUse == 2 }
            #expect(try places.takeIfFree(for: host) == .none)
            #expect(try places.takeIfFree(for: other) == .taken)
            places.giveBack(host)
            for task in waiting { try await task.value }
        }

        private let secure = CurlAddress(text: "https://one.example/items").host

        /// The events that end the wait for the first call to a host.
        enum FirstCall: CaseIterable {
            case isConnected
            case fails
            case takesTooLong
        }

        @Test(arguments: FirstCall.allCases)
        func callsWaitForTheFirstOneOfTheirHost(end: FirstCall) async throws {
            let places = ConnectionSlots(bound: 0, sharesConnections: true)
            let clock = TestClock()
            #expect(try places.takeIfFree(for: secure) == .opensConnection)
            let waiting = try await waiting(3, in: places, clock)
            #expect(places.inUse == 1)
            switch end {
            case .isConnected: places.noteConnected(secure)
            case .fails: places.giveBack(secure)
            case .takesTooLong: clock.advance(by: .seconds(1))
            }
            for task in waiting { try await task.value }
            #expect(places.inUse == (end == .fails ? 3 : 4))
            // The others have begun, so that later calls have nothing to wait for.
            #expect(try places.takeIfFree(for: secure) == .taken)
        }

        /// Starts calls that wait for the first one.
        private func waiting(
            _ count: Int,
            in places: ConnectionSlots,
            _ clock: TestClock
        ) async throws -> [Task<Void, any Error>] {
            var tasks: [Task<Void, any Error>] = []
            for number in 1...count {
                #expect(try places.takeIfFree(for: secure) == .none)
                tasks.append(
                    Task { [secure] in
                        try await places.takeWhenFree(for: secure, .test(timeouts: .none, clock: clock.clock))
                    }
                )
                await clock.waitForAlarms(number)
            }
            return tasks
        }

        @Test func onlyAnIdleHostThatMayShareIsWaitedFor() throws {
            let places = ConnectionSlots(bound: 0, sharesConnections: true)
            #expect(try places.takeIfFree(for: host) == .taken)
            #expect(try places.takeIfFree(for: secure) == .opensConnection)
            places.noteConnected(secure)
            places.noteVersion(of: secure, isMultiplexed: true)
            #expect(try places.takeIfFree(for: secure) == .taken)
            for _ in 0..<2 { places.giveBack(secure) }
            #expect(try places.takeIfFree(for: secure) == .opensConnection)
            places.noteVersion(of: secure, isMultiplexed: false)
            places.giveBack(secure)
            for _ in 0..<2 { #expect(try places.takeIfFree(for: secure) == .taken) }
        }

        @Test func nothingIsWaitedForWithoutHTTP2() throws {
            let places = ConnectionSlots(bound: 0)
            for _ in 0..<2 { #expect(try places.takeIfFree(for: secure) == .taken) }
        }

        @Test func theHostOfALargeBodyIsRemembered() throws {
            let places = ConnectionSlots(bound: 3)
            for (size, isLarge) in [(Int64(1 << 20), true), (100, false)] {
                #expect(try places.takeIfFree(for: host) == .taken)
                places.giveBack(host, bodySize: size)
                #expect(places.expectation(of: host).isLarge == isLarge)
            }
        }

        /// For each seed, callers of several hosts come, connect or fail, leave and are cancelled in another order.
        @Test(arguments: 0..<40) func everyPlaceIsGivenBack(seed: Int) async throws {
            var random = SeededNumbers(seed: UInt64(seed))
            let hosts = [host, other, secure, CurlAddress(text: "https://two.example/").host]
            let places = ConnectionSlots(bound: 5, perHost: 2, sharesConnections: true)
            await withTaskGroup { group in
                for _ in 0..<60 {
                    let host = hosts[Int.random(in: 0..<4, using: &random)]
                    let (yields, kind) = (Int.random(in: 0..<4, using: &random), Int.random(in: 0..<8, using: &random))
                    group.addTask {
                        let call = Task { try await Self.call(host, in: places, yields: yields, isConnected: kind > 2) }
                        if kind < 2 { call.cancel() }
                        let result = await call.result
                        if kind >= 2 { #expect(throws: Never.self) { try result.get() } }
                    }
                }
            }
            #expect(places.inUse == 0)
            for host in [host, other] {
                for _ in 0..<2 { #expect(try places.takeIfFree(for: host) == .taken) }
                #expect(try places.takeIfFree(for: host) == .none)
                places.giveBack(host)
                places.giveBack(host)
            }
        }

        private static func call(
            _ host: CurlAddress.Host,
            in places: ConnectionSlots,
            yields: Int,
            isConnected: Bool
        ) async throws {
            let place = try places.takeIfFree(for: host)
            if place == .none { try await places.takeWhenFree(for: host, .test()) }
            for _ in 0..<yields { await Task.yield() }
            if place == .opensConnection, isConnected { places.noteConnected(host) }
            for _ in 0..<yields { await Task.yield() }
            places.giveBack(host)
        }
    }
#endif
