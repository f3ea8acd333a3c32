#if os(Linux)
    import NetKitTesting
    import Testing

    @testable import NetKit

    struct ConnectionSlotsTests {
        @Test func aCallerWithoutAPermitWaitsUntilOneIsReturned() async throws {
            let places = ConnectionSlots(bound: 1)
            try await places.takeWhenFree(.test())
            let second = Task { try await places.takeWhenFree(.test()) }
            let third = Task { try await places.takeWhenFree(.test()) }
            places.giveBack()
            // One of the two has it now; the other gets it next.
            let count = await withTaskGroup(of: Bool.self) { group in
                for task in [second, third] { group.addTask { (try? await task.value) != nil } }
                var count = 0
                for await hasPlace in group where hasPlace {
                    count += 1
                    places.giveBack()
                }
                return count
            }
            #expect(count == 2)
        }

        @Test func waitingEndsWithItsTask() async throws {
            let places = ConnectionSlots(bound: 1)
            try await places.takeWhenFree(.test())
            let waiting = Task { try await places.takeWhenFree(.test()) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            places.giveBack()
            try await places.takeWhenFree(.test())
        }

        @Test func waitingEndsWithItsCall() async throws {
            let places = ConnectionSlots(bound: 1)
            try await places.takeWhenFree(.test())
            let context = RequestContext.test()
            let waiting = Task { try await places.takeWhenFree(context) }
            context.call.stop(.closed)
            let error = await #expect(throws: NetKitError.self) { try await waiting.value }
            #expect(error?.code == .closed)
            places.giveBack()
            try await places.takeWhenFree(.test())
        }

        @Test func aBoundOfZeroIsNone() async throws {
            let places = ConnectionSlots(bound: 0)
            for _ in 0..<100 { try await places.takeWhenFree(.test()) }
        }
    }
#endif
