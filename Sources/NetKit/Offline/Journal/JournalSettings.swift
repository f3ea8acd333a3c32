/// The layout of a journal on disk.
package struct JournalSettings: Sendable {
    /// The length of a segment at which the next one begins.
    package var segmentSize = 16 << 20
    /// The number of bytes of a segment that are filled in advance, at first and at most.
    ///
    /// Bytes that are written over need no new blocks, and a sync then waits for nothing but the file's bytes.
    package var fill = (first: 64 << 10, most: 4 << 20)
    /// The number of superseded bytes at which everything is written again.
    package var garbage = 4 << 20
    /// The number of bytes that a compaction copies between two batches.
    package var piece = 512 << 10
    /// The number of further attempts, 5 ms apart, at a lock that another owner holds.
    var lockTries = 100
    /// The number of bytes that are written and synced at once.
    var batch = 4 << 20

    package init() {}
}
