import Testing

@testable import NetKit

struct StartImmediatelyTests {
    @Test func runsAtOnceUntilItsFirstSuspension() async throws {
        let events = Notebook<String>()
        let pipe = BodyPipe()
        let task = startImmediately {
            events.add("begins")
            _ = try await pipe.next()
            events.add("ends")
        }
        #expect(events.entries == ["begins"])
        pipe.finish()
        try await task.value
        #expect(events.entries == ["begins", "ends"])
    }

    @Test func rethrowsTheErrorOfTheOperation() async {
        let task = startImmediately { throw CancellationError() }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
