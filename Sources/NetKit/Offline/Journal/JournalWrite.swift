/// Records that belong together: they are written with one write, and whoever wants them written is told.
struct JournalWrite: Sendable {
    let lines: [JournalLine]
    /// Whether the records are forgotten where they cannot be written: a new entry is, what became of one is not.
    let isOptional: Bool
    let finish: @Sendable (Result<Void, any Error>) -> Void
}
