/// How a journal is laid out on disk.
package struct JournalSettings: Sendable {
    /// How long a segment gets before the next one begins.
    package var segmentSize = 16 << 20
    /// How much of a segment is filled in advance, at first and at most: what is written over needs no new blocks, and
    /// a sync then has the file's bytes to wait for and nothing else.
    package var fill = (first: 64 << 10, most: 4 << 20)
    /// How much may be superseded before everything is written anew.
    package var garbage = 4 << 20
    /// How many bytes a compaction copies before what arrived meanwhile is written.
    package var piece = 512 << 10
    /// How often a lock that another one holds is tried again, 5 ms apart.
    var lockTries = 100
    /// How many bytes are written and synced at once.
    var batch = 4 << 20

    package init() {}
}
