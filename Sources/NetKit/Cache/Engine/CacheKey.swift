/// The name of a stored entry: a keyed hash of whose it is, its URL with the query, and what selects among variants.
///
/// It is the same in every process that has the store's secret, and holds no token, no URL, nothing to read. All entries
/// of one URL begin with the same ``resource``.
public struct CacheKey: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    /// Hashes the parts with a store's secret; where one part ends and the next begins makes a difference.
    init(_ parts: [String], secret: CacheHashKey) {
        var buffer: [UInt8] = []
        for part in parts { Self.add(part.utf8, to: &buffer) }
        self.init(hashing: buffer, secret: secret)
    }

    init(hashing bytes: [UInt8], secret: CacheHashKey) {
        (high, low) = bytes.withUnsafeBytes { SipHash.hash($0, key: secret) }
    }

    /// The key of one of the entries of a URL: 32 bits for the URL, 96 for everything.
    init(of resource: CacheResource, hashing bytes: [UInt8], secret: CacheHashKey) {
        let (first, second) = bytes.withUnsafeBytes { SipHash.hash($0, key: secret) }
        high = UInt64(resource.number) << 32 | first >> 32
        low = second
    }

    /// The URL that the entry belongs to: the first eight digits of the key.
    public var resource: CacheResource { CacheResource(number: UInt32(truncatingIfNeeded: high >> 32)) }

    /// Puts a part after others, its length before it.
    static func add(_ part: some Collection<UInt8>, to buffer: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.count).littleEndian) { buffer.append(contentsOf: $0) }
        buffer.append(contentsOf: part)
    }

    /// The key of 32 hexadecimal digits; nil for anything else.
    public init?(_ text: String) {
        guard text.utf8.count == 32, let high = UInt64(digits: text.prefix(16), radix: 16),
            let low = UInt64(digits: text.dropFirst(16), radix: 16)
        else { return nil }
        (self.high, self.low) = (high, low)
        // Small letters only, or a key would have several names.
        if description != text { return nil }
    }

    /// 32 hexadecimal digits, fit for a file's name.
    public var description: String { high.hexadecimal + low.hexadecimal }

    /// The hash is one already.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(low)
    }
}

/// A URL as a store knows it: the keyed hash with which the keys of all its entries begin.
///
/// A change to the URL makes all of them invalid, no matter whose they are and which variant. Two URLs may have the same
/// name by chance; then a change to one makes the entries of both invalid, which costs a request and nothing else.
public struct CacheResource: Hashable, Sendable, CustomStringConvertible {
    let number: UInt32

    init(number: UInt32) {
        self.number = number
    }

    /// Eight hexadecimal digits.
    public var description: String { number.hexadecimal }
}
