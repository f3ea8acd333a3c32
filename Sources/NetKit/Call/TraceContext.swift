/// A position in a trace, as `traceparent` and `tracestate` of W3C Trace Context describe it.
///
/// ```swift
/// let parent = TraceContext(incoming.headers)                  // from a request that a server received
/// try await TraceContext.$current.withValue(parent) {          // every call in here belongs to it
///     try await client.send(.user("42"))
/// }
/// ```
public struct TraceContext: Sendable, Hashable {
    /// The identifier of the trace, as 32 hexadecimal digits.
    public let traceID: String
    /// The identifier of the span, as 16 hexadecimal digits.
    public private(set) var spanID: String
    /// The data that tracing vendors attach.
    public var state = TraceState()

    private let flags: UInt8

    /// The parent of calls that this task makes.
    @TaskLocal public static var current: TraceContext?

    /// Whether the trace is recorded.
    public var isSampled: Bool { flags & 1 == 1 }

    /// Creates the first span of a new trace.
    ///
    /// - Parameters:
    ///   - isSampled: Whether the trace is recorded.
    ///   - random: The source of randomness for the identifiers.
    public init(isSampled: Bool = true, random: RandomSource = .system) {
        traceID = Self.number(random).hexadecimal + Self.number(random).hexadecimal
        spanID = Self.number(random).hexadecimal
        flags = isSampled ? 1 : 0
    }

    /// Creates a context from the value of a `traceparent` field, or returns `nil` if it is malformed.
    public init?(traceparent text: String) {
        let bytes = Array(text.utf8.trimmingBlanks)
        guard bytes.count >= 55 else { return nil }
        let dash = UInt8(ascii: "-")
        func digits(_ range: Range<Int>) -> String? {
            let part = bytes[range]
            guard part.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
            return String(decoding: part, as: UTF8.self)
        }
        guard let version = digits(0..<2), version != "ff", bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            // A later version may append more after another dash.
            bytes.count == 55 || (version != "00" && bytes[55] == dash),
            let trace = digits(3..<35), let span = digits(36..<52), let flags = digits(53..<55)
        else { return nil }
        guard bytes[3..<35].contains(where: { $0 != 0x30 }), bytes[36..<52].contains(where: { $0 != 0x30 }) else {
            return nil
        }
        (traceID, spanID) = (trace, span)
        // The known flags are `sampled` and `random`.
        self.flags = (UInt8(digits: flags, radix: 16) ?? 0) & 3
    }

    /// Creates a context from the header fields of a request, or returns `nil` without exactly one valid `traceparent`.
    ///
    /// A malformed `tracestate` is ignored.
    public init?(_ headers: HTTPHeaders) {
        let parents = headers.values(of: "traceparent")
        guard parents.count == 1, let parent = parents.first else { return nil }
        self.init(traceparent: parent)
        state = TraceState(headers.values(of: "tracestate").joined(separator: ",")) ?? TraceState()
    }

    /// Returns a new span of the same trace.
    public func child(random: RandomSource = .system) -> TraceContext {
        var child = self
        child.spanID = Self.number(random).hexadecimal
        return child
    }

    /// The value of the `traceparent` field.
    public var traceparent: String { "00-\(traceID)-\(spanID)-0\(flags)" }

    /// Sets both fields in a request's header, replacing existing ones.
    public func inject(into headers: inout HTTPHeaders) {
        headers["traceparent"] = traceparent
        headers.remove("tracestate")
        if !state.isEmpty { headers["tracestate"] = state.description }
    }

    /// Returns a random number other than zero.
    private static func number(_ random: RandomSource) -> UInt64 { max(1, random.next()) }
}

/// The `tracestate` of W3C Trace Context: at most 32 key-value pairs of tracing vendors.
public struct TraceState: Sendable, Hashable, CustomStringConvertible {
    private struct Member: Sendable, Hashable {
        let key: String
        let value: String
    }

    private var members: [Member] = []
    private static let maxMembers = 32

    /// Creates an empty list.
    public init() {}

    /// Creates a list from a field's value, or returns `nil` if any part of it is malformed.
    ///
    /// Join the values of several fields with commas.
    public init?(_ text: String) {
        var count = 0
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            let pair = part.trimmingBlanks
            guard !pair.isEmpty else { continue }
            guard let sign = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let (key, value) = (pair[..<sign], pair[pair.index(after: sign)...])
            count += 1
            guard count <= Self.maxMembers, Self.isKey(key), Self.isValue(value) else { return nil }
            let member = Member(key: String(Substring(key)), value: String(Substring(value)))
            if !members.contains(where: { $0.key == member.key }) { members.append(member) }
        }
    }

    /// The keys, with the most recently set first.
    public var keys: [String] { members.map(\.key) }

    /// Whether the list is empty.
    public var isEmpty: Bool { members.isEmpty }

    /// Accesses the value of a key.
    ///
    /// Setting a value moves its key to the front. A malformed key or value is ignored.
    public subscript(_ key: String) -> String? {
        get { members.first { $0.key == key }?.value }
        set {
            guard newValue.map({ Self.isKey(key[...].utf8) && Self.isValue($0[...].utf8) }) ?? true else {
                return
            }
            members.removeAll { $0.key == key }
            guard let newValue else { return }
            members.insert(Member(key: key, value: newValue), at: 0)
            // The least recently set member is dropped.
            if members.count > Self.maxMembers { members.removeLast() }
        }
    }

    /// The value of the `tracestate` field.
    public var description: String { members.map { "\($0.key)=\($0.value)" }.joined(separator: ",") }

    /// Returns whether a key has 1 to 256 lower-case letters, digits and `_-*/@`, and starts with a letter or digit.
    private static func isKey(_ key: Substring.UTF8View) -> Bool {
        guard (1...256).contains(key.count), let first = key.first else { return false }
        func isPlain(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) }
        return isPlain(first) && key.allSatisfy { isPlain($0) || "_-*/@".utf8.contains($0) }
    }

    /// Returns whether a value has 1 to 256 printable characters except `,` and `=`, and does not end with a space.
    private static func isValue(_ value: Substring.UTF8View) -> Bool {
        (1...256).contains(value.count) && value.last != 0x20
            && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
    }
}
