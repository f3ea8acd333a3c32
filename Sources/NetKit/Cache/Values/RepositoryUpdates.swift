/// The results of one read, in the order in which they are known: the stored value, and then the current one.
///
/// ```swift
/// for try await user in users.updates(id: "42") { show(user) }
/// ```
/// If nothing is stored, there is only the current value. If reading the current value fails, its error is thrown after
/// the stored value. Each iteration reads again, and reads nothing before it asks for a value. Both values are those of
/// one login: after a logout or the login of another user, a ``RemoteRepository`` throws `.unauthorized` instead of the
/// current one.
public struct RepositoryUpdates<Value: Sendable>: AsyncSequence, Sendable {
    /// The type of the values.
    public typealias Element = Value

    private let stored: @Sendable () async throws -> Value?
    private let fresh: @Sendable () async throws -> Value

    /// Creates the results of a read.
    ///
    /// - Parameters:
    ///   - stored: A closure that returns the stored value, or `nil` if there is none.
    ///   - fresh: A closure that returns the current value.
    public init(
        stored: @escaping @Sendable () async throws -> Value? = { nil },
        fresh: @escaping @Sendable () async throws -> Value
    ) {
        self.stored = stored
        self.fresh = fresh
    }

    /// Returns an iterator that begins with the stored value.
    public func makeAsyncIterator() -> Iterator { Iterator(updates: self) }

    /// An iterator over the results of a read.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Step { case stored, fresh, over }

        private let updates: RepositoryUpdates
        private let sequence = RepositorySequence()
        private var step = Step.stored

        init(updates: RepositoryUpdates) { self.updates = updates }

        /// Returns the stored value, then the current one, then `nil`.
        public mutating func next() async throws -> Value? {
            let (updates, current) = (updates, step)
            step = .over
            if current == .over { return nil }
            if current == .stored {
                let value = try await RepositorySequence.$current.withValue(sequence) { try await updates.stored() }
                if let value {
                    step = .fresh
                    return value
                }
            }
            try Task.checkCancellation()
            return try await RepositorySequence.$current.withValue(sequence) { try await updates.fresh() }
        }
    }
}

@available(*, unavailable)
extension RepositoryUpdates.Iterator: Sendable {}
