import NetKit

/// What a test has seen, written down from any thread in the order it happened.
final class Notebook<Entry: Sendable>: Sendable {
    private let stored = Locked<[Entry]>([])

    var entries: [Entry] { stored.withLock { $0 } }

    var count: Int { stored.withLock { $0.count } }

    func add(_ entry: Entry) {
        stored.withLock { $0.append(entry) }
    }
}
