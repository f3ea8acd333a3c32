/// How a journal is laid out on disk.
package struct JournalSettings: Sendable {
    /// How long a segment gets before the next one begins.
    package var segmentSize = 16 << 20
    /// How much of a segment is filled in advance, at first and at most: what is written over needs no new blocks, and
    /// a sync then has the file's bytes to wait for and nothing else.
    package var fill = (first: 64 << 10, most: 4 << 20)
    /// How much may be superseded before everything is written anew.
    package var garbage = 4 << 20
    /// The number of bytes that a compaction copies between two batches.
    package var piece = 512 << 10
    /// The number of further attempts, 5 ms apart, at a lock that another owner holds.
    var lockTries = 100
    /// How many bytes are written and synced at once.
    var batch = 4 << 20

    package init() {}
}
