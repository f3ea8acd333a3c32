/// Something that a store tells its queue.
public enum OfflineNotice: Sendable {
    /// Entries were added, or wait no longer, in shards that are owned.
    case work(Set<Int>)
    /// Shards are owned from now on.
    case gained(Set<Int>)
    /// Others are to have shards: the queue begins nothing in them, finishes what runs, and calls `letGo`.
    case leaving(Set<Int>)
    /// Shards are not owned anymore: the queue calls off what it sends from them.
    case lost(Set<Int>)
    /// The store cannot be reached or written to for a reason, or can again.
    case problem(NetKitError?)
}
