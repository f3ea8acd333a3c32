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
            // One of the two has it now; the other gets it next.
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
            #expect(try places.takeIfFree(for: host))
            #expect(try !places.takeIfFree(for: host))
            #expect(try places.takeIfFree(for: other))
            places.giveBack(host)
            #expect(try places.takeIfFree(for: host))
        }

        @Test func aMultiplexedHostIsBoundedByAllPlacesOnly() async throws {
            let places = ConnectionSlots(bound: 3, perHost: 1)
            #expect(try places.takeIfFree(for: host))
            let waiting = (0..<2).map { _ in Task { try await places.takeWhenFree(for: host, .test()) } }
            places.noteMultiplexed(host)
            for task in waiting { try await task.value }
            #expect(try !places.takeIfFree(for: host))
            #expect(try !places.takeIfFree(for: other))
        }

        @Test func theHostOfALargeBodyIsRemembered() throws {
            let places = ConnectionSlots(bound: 3)
            for (size, isLarge) in [(Int64(1 << 20), true), (100, false)] {
                #expect(try places.takeIfFree(for: host))
                places.giveBack(host, bodySize: size)
                #expect(places.expectsLargeBody(from: host) == isLarge)
            }
        }

        /// For each seed, callers of several hosts come, leave and are cancelled in another order.
        @Test(arguments: 0..<20) func everyPlaceIsGivenBack(seed: Int) async throws {
            var random = SeededNumbers(seed: UInt64(seed))
            let hosts = (0..<4).map { Self.host("host\($0)") }
            let places = ConnectionSlots(bound: 5, perHost: 2)
            await withTaskGroup { group in
                for _ in 0..<60 {
                    let host = hosts[Int.random(in: 0..<4, using: &random)]
                    let (yields, isCancelled) = (
                        Int.random(in: 0..<4, using: &random), Int.random(in: 0..<4, using: &random) == 0
                    )
                    group.addTask {
                        let call = Task {
                            try await places.takeWhenFree(for: host, .test())
                            for _ in 0..<yields { await Task.yield() }
                            places.giveBack(host)
                        }
                        if isCancelled { call.cancel() }
                        let result = await call.result
                        if !isCancelled { #expect(throws: Never.self) { try result.get() } }
                    }
                }
            }
            #expect(places.inUse == 0)
            for host in hosts {
                #expect(try places.takeIfFree(for: host) && places.takeIfFree(for: host))
                #expect(try !places.takeIfFree(for: host))
                places.giveBack(host)
                places.giveBack(host)
            }
        }
    }
#endif
