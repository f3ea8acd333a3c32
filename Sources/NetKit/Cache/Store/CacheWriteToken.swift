/// The moment at which an exchange began, as the store of its response counts.
///
/// A response is written with the token of its exchange. A store refuses the write if the URL was invalidated since, or if
/// an exchange that began later has brought something for the same key.
public struct CacheWriteToken: Hashable, Sendable {
    /// The number of the exchange, larger for later ones.
    public let number: UInt64
    /// The number of the URL's generation, which an invalidation changes.
    public let generation: UInt64
    private let diskNumber: UInt64?
    private let diskGeneration: UInt64

    /// Creates a token.
    public init(number: UInt64, generation: UInt64 = 0) {
        (self.number, self.generation) = (number, generation)
        (diskNumber, diskGeneration) = (nil, 0)
    }

    /// A token of two stores, of which the one on disk may have failed.
    init(memory: CacheWriteToken, disk: CacheWriteToken?) {
        (number, generation) = (memory.number, memory.generation)
        (diskNumber, diskGeneration) = (disk?.number, disk?.generation ?? 0)
    }

    /// The token of the store on disk.
    var disk: CacheWriteToken? { diskNumber.map { CacheWriteToken(number: $0, generation: diskGeneration) } }

    /// The generation of the URL in every store that the token is of; an invalidation changes it.
    struct Generation: Hashable {
        fileprivate let own: UInt64
        fileprivate let disk: UInt64
    }

    /// The generation of the URL in all stores.
    var wholeGeneration: Generation { Generation(own: generation, disk: diskGeneration) }
}
