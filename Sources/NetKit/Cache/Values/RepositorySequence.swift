/// Reads or writes of repositories that belong together, such as the two reads of `RepositoryUpdates`.
final class RepositorySequence: Sendable {
    /// The sequence of the current task; `nil` if each read and write belongs to itself.
    @TaskLocal static var current: RepositorySequence?

    /// The calls of each repository, which is kept alive, so that no other takes its place in memory.
    private let sequences = Locked<[(owner: any AnyObject & Sendable, calls: CallSequence)]>([])

    /// Returns the calls of one repository.
    ///
    /// The override of a method may use further repositories, whose clients have identities of their own.
    func calls(of repository: any AnyObject & Sendable) -> CallSequence {
        sequences.withLock { sequences in
            if let known = sequences.first(where: { $0.owner === repository }) { return known.calls }
            let calls = CallSequence()
            sequences.append((repository, calls))
            return calls
        }
    }
}
