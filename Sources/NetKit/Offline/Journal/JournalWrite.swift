/// Records that belong together: they are written with one write, and whoever wants them written is told.
struct JournalWrite: Sendable {
    let lines: [JournalLine]
    let finish: @Sendable (Result<Void, any Error>) -> Void
}
