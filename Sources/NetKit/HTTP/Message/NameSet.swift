/// Names without regard to case, which are looked up without making a string.
struct NameSet: Sendable, Hashable {
    /// The names in lower case.
    let names: Set<String>
    /// The hashes of their bytes, in order: a name that is not among them is refused by its hash alone.
    private let hashes: [UInt64]

    init(_ names: Set<String>) {
        self.names = Set(names.map { $0.lowercased() })
        hashes = self.names.map { Self.hash($0).value }.sorted()
    }

    /// Whether a name is one of them.
    func contains(_ name: String) -> Bool {
        guard !hashes.isEmpty else { return false }
        let hash = Self.hash(name)
        // Bytes beyond ASCII have cases of their own.
        guard !hash.isASCII || isListed(hash.value) else { return false }
        return names.contains(name.lowercased())
    }

    private func isListed(_ hash: UInt64) -> Bool {
        var (low, high) = (0, hashes.count)
        while low < high {
            let middle = low + (high - low) / 2
            if hashes[middle] < hash { low = middle + 1 } else { high = middle }
        }
        return low < hashes.count && hashes[low] == hash
    }

    /// FNV-1a over the bytes in lower case.
    private static func hash(_ name: String) -> (value: UInt64, isASCII: Bool) {
        var (value, all) = (0xCBF2_9CE4_8422_2325 as UInt64, 0 as UInt8)
        for byte in name.utf8 {
            all |= byte
            value = (value ^ UInt64(byte.lowercasedASCII)) &* 0x100_0000_01B3
        }
        return (value, all < 0x80)
    }
}
