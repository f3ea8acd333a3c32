import NetKit

/// The observations of a test, from any thread, in the order in which they happened.
final class Notebook<Entry: Sendable>: Sendable {
    private let stored = Locked<[Entry]>([])

    var entries: [Entry] { stored.withLock { $0 } }

    var count: Int { stored.withLock { $0.count } }

    func add(_ entry: Entry) {
        stored.withLock { $0.append(entry) }
    }
}
