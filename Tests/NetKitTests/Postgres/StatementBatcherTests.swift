import NetKit
import Testing

@testable import NetKitPostgres

@Suite(.timeLimit(.minutes(5)))
struct StatementBatcherTests {
    /// A database whose statements end when the test says so.
    private actor Server {
        /// The first statement has begun.
        let began = Promise<Void>()
        private(set) var batches: [[Int]] = []
        private var gate: Promise<Void>?

        func hold() { gate = Promise() }

        func release() {
            gate?.resolve(.success(()))
            gate = nil
        }

        func run(_ items: [Int]) async throws -> [Result<Int, any Error>] {
            batches.append(items)
            began.resolve(.success(()))
            try await gate?.value()
            if items.contains(13) {
                throw NetKitError(.invalidRequest, "13 is refused.", outcome: .answered)
            }
            if items.contains(-1) { throw NetKitError(.storeUnavailable, "The disk is full.", outcome: .answered) }
            if items.contains(0) { throw NetKitError(.storeUnavailable, "The server is away.") }
            return items.map { .success($0 * 2) }
        }
    }

    private let server = Server()

    private func batcher(maxCount: Int = 128, maxSize: Int = 100) -> StatementBatcher<Int, Int> {
        StatementBatcher(maxCount: maxCount, maxSize: maxSize, maxRunning: 1) { [server] in
            try await server.run($0)
        }
    }

    @Test func combinesCallsThatArriveMeanwhile() async throws {
        let batcher = batcher()
        await server.hold()
        async let first = batcher(1)
        try await server.began.cancellableValue()
        let rest = (20...60).map { number in startImmediately { try await batcher(number) } }
        await server.release()
        #expect(try await first == 2)
        for (number, task) in zip(20...60, rest) { #expect(try await task.value == number * 2) }
        #expect(await server.batches == [[1], Array(20...60)])
        let counts = batcher.batches
        #expect((counts.batchCount, counts.itemCount, counts.largest) == (2, 42, 41))
    }

    @Test func triesARefusedBatchOneByOne() async throws {
        let batcher = batcher()
        let tasks = (10...15).map { number in startImmediately { try await batcher(number) } }
        for (number, task) in zip(10...15, tasks) where number != 13 {
            #expect(try await task.value == number * 2)
        }
        await #expect(throws: NetKitError.self) { try await tasks[3].value }
    }

    /// Each of them could wait as long for the same lock, one after the other.
    @Test func triesNoFurtherCallOfABatchOnceTheServerCannotRunOne() async throws {
        let batcher = batcher()
        await server.hold()
        async let first = batcher(1)
        try await server.began.cancellableValue()
        let rest = [20, -1, 21, 22].map { number in startImmediately { try await batcher(number) } }
        await server.release()
        #expect(try await first == 2)
        #expect(try await rest[0].value == 40)
        for (task, outcome) in zip(rest.dropFirst(), [.answered, .notSent, .notSent] as [NetKitError.Outcome]) {
            let error = await #expect(throws: NetKitError.self) { try await task.value }
            #expect(error?.message == "The disk is full.")
            #expect(error?.outcome == outcome)
        }
        #expect(await server.batches == [[1], [20, -1, 21, 22], [20], [-1]])
    }

    @Test func failsThoseThatWaitIfTheServerIsAway() async throws {
        let batcher = batcher(maxCount: 1)
        await server.hold()
        let tasks = (0...9).map { number in startImmediately { try await batcher(number) } }
        try await server.began.cancellableValue()
        await server.release()
        for task in tasks {
            let error = await #expect(throws: NetKitError.self) { try await task.value }
            #expect(error?.code == .storeUnavailable)
            #expect(error?.outcome == .notSent)
        }
        #expect(await server.batches == [[0]])
        #expect(try await batcher(3) == 6)
    }

    /// The server has responded to the first one, and may take the others.
    @Test func sendsThoseThatWaitIfTheServerRefusesOne() async throws {
        let batcher = batcher(maxCount: 1)
        await server.hold()
        let tasks = [-1, 1, 2].map { number in startImmediately { try await batcher(number) } }
        try await server.began.cancellableValue()
        await server.release()
        let error = await #expect(throws: NetKitError.self) { try await tasks[0].value }
        #expect(error?.outcome == .answered)
        #expect(try await tasks[1].value == 2)
        #expect(try await tasks[2].value == 4)
    }

    /// They can be as large as the bodies of requests, and a burst of them may be the last for hours.
    @Test func keepsNoItemsOfABurst() async throws {
        final class Item: Sendable {
            private let freed: Shared<Int>

            init(_ freed: Shared<Int>) { self.freed = freed }

            deinit { freed.withLock { $0 += 1 } }
        }
        let (began, goOn, freed) = (Promise<Void>(), Promise<Void>(), Shared(0))
        let batcher = StatementBatcher<Item, Void>(maxRunning: 1) { items in
            began.resolve(.success(()))
            try await goOn.value()
            return items.map { _ in .success(()) }
        }
        let first = startImmediately { try await batcher(Item(freed)) }
        try await began.value()
        let rest = (0..<40).map { _ in startImmediately { try await batcher(Item(freed)) } }
        goOn.resolve(.success(()))
        for task in [first] + rest { try await task.value }
        // The burst has ended by the time that the next batch is sent.
        try await batcher(Item(freed))
        #expect(freed.withLock { $0 } >= 41)
    }

    @Test func keepsBatchesSmall() async throws {
        let batcher = batcher(maxSize: 100)
        await server.hold()
        async let first = batcher(1)
        try await server.began.cancellableValue()
        let sizes = [(2, 60), (3, 40), (4, 1), (5, 500), (6, 1)]
        let rest = sizes.map { item in startImmediately { try await batcher(item.0, size: item.1) } }
        await server.release()
        _ = try await first
        for task in rest { _ = try await task.value }
        #expect(await server.batches == [[1], [2, 3], [4], [5], [6]])
    }
}
