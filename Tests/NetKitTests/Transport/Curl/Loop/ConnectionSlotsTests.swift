#if os(Linux)
    import NetKitTesting
    import Testing

    @testable import NetKit

    @Suite(.timeLimit(.minutes(5)))
    struct ConnectionSlotsTests {
        private let host = Self.host("one")
        private let other = Self.host("two")

        private static func host(_ name: String) -> CurlAddress.Host {
            CurlAddress(text: "http://\(name).example/items?limit=2").host
        }

        @Test func aCallerWithoutASlotWaitsUntilOneIsGivenBack() async throws {
            let slots = ConnectionSlots(bound: 1)
            try await slots.takeWhenFree(for: host, .test())
            let second = Task { try await slots.takeWhenFree(for: host, .test()) }
            let third = Task { try await slots.takeWhenFree(for: host, .test()) }
            slots.giveBack(host)
            // One of the two has it now, and the other gets it next.
            let count = await withTaskGroup(of: Bool.self) { group in
                for task in [second, third] { group.addTask { (try? await task.value) != nil } }
                var count = 0
                for await hasPlace in group where hasPlace {
                    count += 1
                    slots.giveBack(host)
                }
                return count
            }
            #expect(count == 2)
        }

        @Test func waitingEndsWithItsTask() async throws {
            let slots = ConnectionSlots(bound: 1)
            try await slots.takeWhenFree(for: host, .test())
            let waiting = Task { try await slots.takeWhenFree(for: host, .test()) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            slots.giveBack(host)
            try await slots.takeWhenFree(for: host, .test())
        }

        @Test func waitingEndsWithItsCall() async throws {
            let slots = ConnectionSlots(bound: 1)
            try await slots.takeWhenFree(for: host, .test())
            let context = RequestContext.test()
            let waiting = Task { try await slots.takeWhenFree(for: host, context) }
            context.call.stop(.closed)
            let error = await #expect(throws: NetKitError.self) { try await waiting.value }
            #expect(error?.code == .closed)
            slots.giveBack(host)
            try await slots.takeWhenFree(for: host, .test())
        }

        @Test func aBoundOfZeroIsNone() async throws {
            let slots = ConnectionSlots(bound: 0)
            for _ in 0..<100 { try await slots.takeWhenFree(for: host, .test()) }
        }

        @Test func aFullHostLeavesThePlacesOfOthersFree() throws {
            let slots = ConnectionSlots(bound: 3, perHost: 1)
            #expect(try slots.takeIfFree(for: host) == .taken)
            #expect(try slots.takeIfFree(for: host) == .none)
            #expect(try slots.takeIfFree(for: other) == .taken)
            slots.giveBack(host)
            #expect(try slots.takeIfFree(for: host) == .taken)
        }

        /// A host over HTTP/2 has all slots except those that another host may have.
        @Test func aMultiplexedHostLeavesPlacesToOthers() async throws {
            let slots = ConnectionSlots(bound: 3, perHost: 1)
            #expect(try slots.takeIfFree(for: host) == .taken)
            let waiting = (0..<2).map { _ in Task { try await slots.takeWhenFree(for: host, .test()) } }
            slots.noteVersion(of: host, isMultiplexed: true)
            try await waitUntil { slots.inUse == 2 }
            #expect(try slots.takeIfFree(for: host) == .none)
            #expect(try slots.takeIfFree(for: other) == .taken)
            slots.giveBack(host)
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
            let slots = ConnectionSlots(bound: 0, sharesConnections: true)
            let clock = TestClock()
            #expect(try slots.takeIfFree(for: secure) == .opensConnection)
            let waiting = try await waiting(3, in: slots, clock)
            #expect(slots.inUse == 1)
            switch end {
            case .isConnected: slots.noteConnected(secure)
            case .fails: slots.giveBack(secure)
            case .takesTooLong: clock.advance(by: .seconds(1))
            }
            for task in waiting { try await task.value }
            #expect(slots.inUse == (end == .fails ? 3 : 4))
            // The others have begun, so that later calls have nothing to wait for.
            #expect(try slots.takeIfFree(for: secure) == .taken)
        }

        /// Starts calls that wait for the first one.
        private func waiting(
            _ count: Int,
            in slots: ConnectionSlots,
            _ clock: TestClock
        ) async throws -> [Task<Void, any Error>] {
            var tasks: [Task<Void, any Error>] = []
            for number in 1...count {
                #expect(try slots.takeIfFree(for: secure) == .none)
                tasks.append(
                    Task { [secure] in
                        try await slots.takeWhenFree(for: secure, .test(timeouts: .none, clock: clock.clock))
                    }
                )
                await clock.waitForAlarms(number)
            }
            return tasks
        }

        /// A call that has a slot of its host waits for one of all slots, and leaves; the next call gets both.
        @Test func aCallThatLeavesTheLineDelaysNoOther() async throws {
            let slots = ConnectionSlots(bound: 3, perHost: 1, sharesConnections: true)
            let clock = TestClock()
            let shared = CurlAddress(text: "https://two.example/").host
            func startWaiting(for host: CurlAddress.Host, _ number: Int) async -> Task<Void, any Error> {
                let task = Task {
                    try await slots.takeWhenFree(for: host, .test(timeouts: .none, clock: clock.clock))
                }
                await clock.waitForAlarms(number)
                return task
            }
            #expect(try slots.takeIfFree(for: secure) == .opensConnection)
            #expect(try slots.takeIfFree(for: shared) == .opensConnection)
            #expect(try slots.takeIfFree(for: other) == .taken)
            let ahead = await startWaiting(for: shared, 1)
            let leaving = await startWaiting(for: secure, 2)
            let last = await startWaiting(for: secure, 3)
            slots.noteConnected(secure)
            // The free slot is for none of them, because their hosts have none.
            slots.giveBack(other)
            #expect(slots.inUse == 2)
            #expect(try slots.takeIfFree(for: other) == .taken)
            slots.noteVersion(of: shared, isMultiplexed: true)
            slots.noteConnected(shared)
            slots.giveBack(secure)
            try await ahead.value
            leaving.cancel()
            await #expect(throws: CancellationError.self) { try await leaving.value }
            slots.giveBack(other)
            #expect(slots.inUse == 3)
            last.cancel()
            _ = await last.result
        }

        @Test func onlyAnIdleHostThatMayShareIsWaitedFor() throws {
            let slots = ConnectionSlots(bound: 0, sharesConnections: true)
            #expect(try slots.takeIfFree(for: host) == .taken)
            #expect(try slots.takeIfFree(for: secure) == .opensConnection)
            slots.noteConnected(secure)
            slots.noteVersion(of: secure, isMultiplexed: true)
            #expect(try slots.takeIfFree(for: secure) == .taken)
            for _ in 0..<2 { slots.giveBack(secure) }
            #expect(try slots.takeIfFree(for: secure) == .opensConnection)
            slots.noteVersion(of: secure, isMultiplexed: false)
            slots.giveBack(secure)
            for _ in 0..<2 { #expect(try slots.takeIfFree(for: secure) == .taken) }
        }

        @Test func nothingIsWaitedForWithoutHTTP2() throws {
            let slots = ConnectionSlots(bound: 0)
            for _ in 0..<2 { #expect(try slots.takeIfFree(for: secure) == .taken) }
        }

        @Test func theHostOfALargeBodyIsRemembered() throws {
            let slots = ConnectionSlots(bound: 3)
            for (size, isLarge) in [(Int64(1 << 20), true), (100, false)] {
                #expect(try slots.takeIfFree(for: host) == .taken)
                slots.giveBack(host, bodySize: size)
                #expect(slots.expectation(of: host).isLarge == isLarge)
            }
        }

        /// For each seed, callers of several hosts come, connect or fail, leave and are cancelled in another order.
        @Test(arguments: 0..<40) func everyPlaceIsGivenBack(seed: Int) async throws {
            var random = RandomSource.seeded(UInt64(seed))
            let hosts = [host, other, secure, CurlAddress(text: "https://two.example/").host]
            let slots = ConnectionSlots(bound: 5, perHost: 2, sharesConnections: true)
            await withTaskGroup { group in
                for _ in 0..<60 {
                    let host = hosts[Int.random(in: 0..<4, using: &random)]
                    let (yields, kind) = (Int.random(in: 0..<4, using: &random), Int.random(in: 0..<8, using: &random))
                    group.addTask {
                        let call = Task { try await Self.call(host, in: slots, yields: yields, isConnected: kind > 2) }
                        if kind < 2 { call.cancel() }
                        let result = await call.result
                        if kind >= 2 { #expect(throws: Never.self) { try result.get() } }
                    }
                }
            }
            #expect(slots.inUse == 0)
            for host in [host, other] {
                for _ in 0..<2 { #expect(try slots.takeIfFree(for: host) == .taken) }
                #expect(try slots.takeIfFree(for: host) == .none)
                slots.giveBack(host)
                slots.giveBack(host)
            }
        }

        private static func call(
            _ host: CurlAddress.Host,
            in slots: ConnectionSlots,
            yields: Int,
            isConnected: Bool
        ) async throws {
            let place = try slots.takeIfFree(for: host)
            if place == .none { try await slots.takeWhenFree(for: host, .test()) }
            for _ in 0..<yields { await Task.yield() }
            if place == .opensConnection, isConnected { slots.noteConnected(host) }
            for _ in 0..<yields { await Task.yield() }
            slots.giveBack(host)
        }
    }
#endif
