/// What vendors of tracing systems pass along beside a trace: `tracestate` of W3C Trace Context, a list of at most 32 pairs.
public struct TraceState: Sendable, Hashable, CustomStringConvertible {
    private struct Member: Sendable, Hashable {
        let key: String
        let value: String
    }

    private var members: [Member] = []
    private static let limit = 32

    /// Makes an empty list.
    public init() {}

    /// Reads a header's value, those of several fields joined by commas; nil where any part of it breaks the rules.
    public init?(_ text: String) {
        var count = 0
        for part in Array(text.utf8).split(separator: UInt8(ascii: ",")) {
            let pair = part.trimmingBlanks
            guard !pair.isEmpty else { continue }
            guard let sign = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let (key, value) = (pair[..<sign], pair[pair.index(after: sign)...])
            count += 1
            guard count <= Self.limit, Self.isKey(key), Self.isValue(value) else { return nil }
            let member = Member(
                key: String(decoding: key, as: UTF8.self),
                value: String(decoding: value, as: UTF8.self)
            )
            if !members.contains(where: { $0.key == member.key }) { members.append(member) }
        }
    }

    /// The keys, most recent first.
    public var keys: [String] { members.map(\.key) }

    /// Whether there is nothing in it.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of a key; one that is set goes to the front, and one that breaks the rules is not set.
    public subscript(_ key: String) -> String? {
        get { members.first { $0.key == key }?.value }
        set {
            guard newValue.map({ Self.isKey(Array(key.utf8)[...]) && Self.isValue(Array($0.utf8)[...]) }) ?? true else {
                return
            }
            members.removeAll { $0.key == key }
            guard let newValue else { return }
            members.insert(Member(key: key, value: newValue), at: 0)
            // The one that was not touched for longest goes.
            if members.count > Self.limit { members.removeLast() }
        }
    }

    /// The header's value.
    public var description: String { members.map { "\($0.key)=\($0.value)" }.joined(separator: ",") }

    /// Up to 256 lower-case letters, digits and `_-*/@`, of which the first is a letter or a digit.
    private static func isKey(_ key: ArraySlice<UInt8>) -> Bool {
        guard (1...256).contains(key.count), let first = key.first else { return false }
        func isPlain(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) }
        return isPlain(first) && key.allSatisfy { isPlain($0) || "_-*/@".utf8.contains($0) }
    }

    /// Up to 256 visible characters and spaces without `,` and `=`, of which the last is no space.
    private static func isValue(_ value: ArraySlice<UInt8>) -> Bool {
        (1...256).contains(value.count) && value.last != 0x20
            && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
    }
}
