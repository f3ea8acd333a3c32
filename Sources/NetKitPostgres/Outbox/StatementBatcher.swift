import NetKit

/// A batcher that combines concurrent small changes into one statement.
///
/// A batch consists of the calls that arrived while the ones before were under way. If a batch is refused, each of its
/// calls is tried alone, so that one bad call fails only itself. If the server cannot run one of these at the moment,
/// for example because of a lock, those after it fail without a try. If the database cannot be reached, the calls that
/// wait fail as well.
final class StatementBatcher<Item: Sendable, Success: Sendable>: Sendable {
    typealias Run = @Sendable ([Item]) async throws -> [Result<Success, any Error>]

    private struct Call {
        let item: Item
        let size: Int
        let end: Promise<Success>
    }

    private struct State {
        var waiting: ArraySlice<Call> = []
        var runningCount = 0
        var batches = BatchCounts()
    }

    private let maxCount: Int
    private let maxSize: Int
    private let maxRunning: Int
    private let mayJoin: @Sendable (Item, Item) -> Bool
    private let run: Run
    private let state = Locked(State())

    /// Creates a batcher of calls for a statement, which returns a result for each item.
    ///
    /// A batch takes no further call after `maxCount` calls or `maxSize` bytes, and only calls that may join its first
    /// one. At most `maxRunning` batches are under way at the same time.
    init(
        maxCount: Int = 128,
        maxSize: Int = 4 << 20,
        maxRunning: Int = 2,
        mayJoin: @escaping @Sendable (Item, Item) -> Bool = { _, _ in true },
        run: @escaping Run
    ) {
        (self.maxCount, self.maxSize, self.maxRunning) = (maxCount, maxSize, maxRunning)
        (self.mayJoin, self.run) = (mayJoin, run)
    }

    /// The numbers and sizes of the batches so far.
    var batches: BatchCounts { state.withLock { $0.batches } }

    /// Makes a change in the next batch.
    ///
    /// The wait does not end if the task is cancelled: the change may be on its way.
    func callAsFunction(_ item: Item, size: Int = 0) async throws -> Success {
        let end = Promise<Success>()
        let isFree = state.withLock { state in
            state.waiting.append(Call(item: item, size: size, end: end))
            guard state.runningCount < maxRunning else { return false }
            state.runningCount += 1
            return true
        }
        // The task ends with the last call that waits.
        if isFree { _ = startImmediately { [self] in await runBatches() } }
        return try await end.value()
    }

    private func runBatches() async {
        while true {
            // Callers that the batch before has woken can join this one.
            await Task.yield()
            guard let batch = takeBatch() else { return }
            await complete(batch)
        }
    }

    /// Runs a batch, and returns the error if the server cannot run it at the moment.
    @discardableResult
    private func complete(_ batch: [Call]) async -> NetKitError? {
        state.withLock { $0.batches.add(batch.count) }
        do {
            let results = try await run(batch.map(\.item))
            for (call, result) in zip(batch, results) { call.end.resolve(result) }
            return nil
        } catch let error as NetKitError where error.outcome == .answered && batch.count > 1 {
            var absence: NetKitError?
            for call in batch {
                // Each of them could take as long, and the caller cannot end it.
                if let absence { call.end.resolve(.failure(absence)) } else { absence = await complete([call]) }
            }
            return absence
        } catch {
            for call in batch { call.end.resolve(.failure(error)) }
            guard let error = error as? NetKitError, error.isAbsence else { return nil }
            let absence = error.with(outcome: .notSent)
            // Nothing is gained if the others wait for the same error one after the other.
            if error.code == .storeUnavailable, error.outcome != .answered {
                for call in takeAll() { call.end.resolve(.failure(absence)) }
            }
            return absence
        }
    }

    private func takeBatch() -> [Call]? {
        state.withLock { state in
            guard let first = state.waiting.first else {
                state.runningCount -= 1
                return nil
            }
            var size = 0
            let count = state.waiting.prefix(maxCount).prefix { call in
                defer { size += call.size }
                return size == 0 || size + call.size <= maxSize && mayJoin(first.item, call.item)
            }.count
            defer { state.waiting.freeFirst(count) }
            return Array(state.waiting.prefix(count))
        }
    }

    private func takeAll() -> [Call] {
        state.withLock { state in
            defer { state.waiting = [] }
            return Array(state.waiting)
        }
    }
}

/// The numbers and sizes of batches.
struct BatchCounts: Sendable, Hashable {
    private(set) var batchCount = 0
    private(set) var itemCount = 0
    private(set) var largest = 0

    mutating func add(_ count: Int) {
        batchCount += 1
        itemCount += count
        largest = max(largest, count)
    }
}
