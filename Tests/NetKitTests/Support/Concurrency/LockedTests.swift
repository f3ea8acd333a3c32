import NetKit
import Testing

struct LockedTests {
    @Test func countsTheAdditionsOfManyTasks() async {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<1000 { counter.add() }
                }
            }
        }
        #expect(counter.value == 16_000)
    }

    @Test func rethrowsTheErrorOfTheBody() {
        let value = Locked(1)
        #expect(throws: CancellationError.self) {
            try value.withLock { value in
                value = 2
                throw CancellationError()
            }
        }
        #expect(value.withLock { $0 } == 2)
    }
}

private final class Counter: Sendable {
    private let number = Locked(0)

    var value: Int { number.withLock { $0 } }

    func add() {
        number.withLock { $0 += 1 }
    }
}
