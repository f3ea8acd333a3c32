/// The name of a stored entry: a keyed hash of its owner, its URL with the query, and its variant.
///
/// It is the same in every process that has the store's secret, and reveals neither the URL nor a token. The keys of
/// all entries of one URL begin with the same ``resource``.
public struct CacheKey: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    /// Hashes the parts with a store's secret; the boundaries between the parts matter.
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

    /// Appends a part, preceded by its length.
    static func add(_ part: some Collection<UInt8>, to buffer: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.count).littleEndian) { buffer.append(contentsOf: $0) }
        buffer.append(contentsOf: part)
    }

    /// Creates a key from 32 hexadecimal digits in lower case; `nil` for any other text.
    public init?(_ text: String) {
        guard text.utf8.count == 32, let high = UInt64(digits: text.prefix(16), radix: 16),
            let low = UInt64(digits: text.dropFirst(16), radix: 16)
        else { return nil }
        (self.high, self.low) = (high, low)
        // Lower case only, or a key would have several names.
        if description != text { return nil }
    }

    /// 32 hexadecimal digits, fit for a file's name.
    public var description: String { high.hexadecimal + low.hexadecimal }

    /// Adds half of the key to the hasher, because the key is a hash already.
    public func hash(into hasher: inout Hasher) { hasher.combine(low) }
}

/// The keyed hash of a URL, with which the keys of all its entries begin.
///
/// A change to the URL invalidates all of them, whatever their owner and variant. Two URLs may have the same hash by
/// chance. A change to one then invalidates the entries of both, which only costs a request.
public struct CacheResource: Hashable, Sendable, CustomStringConvertible {
    let number: UInt32

    init(number: UInt32) { self.number = number }

    /// Creates a resource from the eight hexadecimal digits of its description; `nil` for any other text.
    public init?(_ text: String) {
        guard text.utf8.count == 8, let number = UInt64(digits: text[...], radix: 16) else { return nil }
        self.number = UInt32(truncatingIfNeeded: number)
        if description != text { return nil }
    }

    /// Eight hexadecimal digits.
    public var description: String { number.hexadecimal }
}
