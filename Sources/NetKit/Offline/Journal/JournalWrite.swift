/// Records that belong together: they are written with one write, and the callers are told.
struct JournalWrite: Sendable {
    let lines: [JournalLine]
    let finish: @Sendable (Result<Void, any Error>) -> Void
}
