#if os(Linux)
    import Testing

    @testable import NetKit

    struct CurlHandlePoolTests {
        private func pool(bound: Int) throws -> CurlHandlePool {
            CurlHandlePool(try CurlLibrary.standard.get(), bound: bound)
        }

        @Test func whoFindsNoneWaitsUntilOneIsGivenBack() async throws {
            let pool = try pool(bound: 1)
            let first = try await pool.take()
            let second = Task { try await pool.take() }
            let third = Task { try await pool.take() }
            pool.giveBack(first)
            // One of the two has it now; the other gets it next.
            let one = await withTaskGroup(of: CurlHandle?.self) { group in
                group.addTask { try? await second.value }
                group.addTask { try? await third.value }
                let one = await group.next() ?? nil
                if let one { pool.giveBack(one) }
                _ = await group.next()
                return one
            }
            #expect(one != nil)
        }

        @Test func waitingEndsWithItsTask() async throws {
            let pool = try pool(bound: 1)
            let held = try await pool.take()
            let waiting = Task { try await pool.take() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            pool.giveBack(held)
            pool.giveBack(try await pool.take())
        }

        @Test func aBoundOfZeroIsNone() async throws {
            let pool = try pool(bound: 0)
            var handles: [CurlHandle] = []
            for _ in 0..<100 { handles.append(try await pool.take()) }
            #expect(handles.count == 100)
        }
    }
#endif
