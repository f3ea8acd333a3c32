/// Reads or writes of repositories that belong together, such as the two reads of `RepositoryUpdates`.
final class RepositorySequence: Sendable {
    /// The sequence of the current task; `nil` if each read and write belongs to itself.
    @TaskLocal static var current: RepositorySequence?

    private let sequences = Locked<[ObjectIdentifier: CallSequence]>([:])

    /// Returns the calls of one repository.
    ///
    /// The override of a method may use further repositories, whose clients have identities of their own.
    func calls(of repository: AnyObject) -> CallSequence {
        let id = ObjectIdentifier(repository)
        return sequences.withLock { sequences in
            let sequence = sequences[id] ?? CallSequence()
            sequences[id] = sequence
            return sequence
        }
    }
}
