/// The secret from which a store's keys are made; without it, a key reveals nothing.
///
/// A persistent store keeps it beside its entries, readable only by its owner, so that keys stay the same.
public struct CacheHashKey: Hashable, Sendable {
    let first: UInt64
    let second: UInt64

    /// Creates a new secret.
    public init(random: RandomSource = .system) {
        first = random.next()
        second = random.next()
    }

    init(_ first: UInt64, _ second: UInt64) { (self.first, self.second) = (first, second) }

    /// Creates the secret from the 16 bytes that a store kept; `nil` if there are fewer or more.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(UInt64(littleEndianBytes: bytes.prefix(8)), UInt64(littleEndianBytes: bytes.dropFirst(8)))
    }

    /// The secret as 16 bytes, for a store to keep.
    public var bytes: [UInt8] { first.littleEndianBytes + second.littleEndianBytes }
}

extension CacheHashKey: CustomStringConvertible {
    /// A description without the secret.
    public var description: String { "CacheHashKey" }
}
