/// Where in a trace something happens: what `traceparent` and `tracestate` of W3C Trace Context say.
///
/// ```swift
/// let parent = TraceContext(incoming.headers)                  // what a server got
/// try await TraceContext.$current.withValue(parent) {          // every call in here belongs to it
///     try await client.send(.user("42"))
/// }
/// ```
public struct TraceContext: Sendable, Hashable {
    /// The trace: 32 hexadecimal digits.
    public let traceID: String
    /// The span: 16 hexadecimal digits.
    public let spanID: String
    /// What vendors pass along.
    public var state = TraceState()

    private let flags: UInt8

    /// The span that calls of this task belong to.
    @TaskLocal public static var current: TraceContext?

    /// Whether the trace is recorded.
    public var isSampled: Bool { flags & 1 == 1 }

    /// Makes the beginning of a trace.
    ///
    /// - Parameters:
    ///   - isSampled: Whether it is recorded.
    ///   - random: Where its numbers come from.
    public init(isSampled: Bool = true, random: RandomSource = .system) {
        traceID = Self.number(random).hexadecimal + Self.number(random).hexadecimal
        spanID = Self.number(random).hexadecimal
        flags = isSampled ? 1 : 0
    }

    /// Reads a header's value; nil where it breaks the rules, and then a trace begins anew.
    public init?(traceparent text: String) {
        let bytes = Array(Array(text.utf8).trimmingBlanks)
        guard bytes.count >= 55 else { return nil }
        let dash = UInt8(ascii: "-")
        func digits(_ range: Range<Int>) -> String? {
            let part = bytes[range]
            guard part.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
            return String(decoding: part, as: UTF8.self)
        }
        guard let version = digits(0..<2), version != "ff", bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            // What a later version adds stands behind another dash.
            bytes.count == 55 || (version != "00" && bytes[55] == dash),
            let trace = digits(3..<35), let span = digits(36..<52), let flags = digits(53..<55)
        else { return nil }
        guard bytes[3..<35].contains(where: { $0 != 0x30 }), bytes[36..<52].contains(where: { $0 != 0x30 }) else {
            return nil
        }
        (traceID, spanID) = (trace, span)
        // The bits of today: recorded, and made at random.
        self.flags = (UInt8(digits: flags, radix: 16) ?? 0) & 3
    }

    /// Reads the header fields of a request; nil where there is not exactly one `traceparent` that keeps the rules.
    ///
    /// A `tracestate` that breaks them is left out.
    public init?(_ headers: HTTPHeaders) {
        let parents = headers.values(of: "traceparent")
        guard parents.count == 1, let parent = parents.first else { return nil }
        self.init(traceparent: parent)
        state = TraceState(headers.values(of: "tracestate").joined(separator: ",")) ?? TraceState()
    }

    private init(of parent: TraceContext, spanID: String) {
        (traceID, flags, state) = (parent.traceID, parent.flags, parent.state)
        self.spanID = spanID
    }

    /// Another span of the same trace.
    public func child(random: RandomSource = .system) -> TraceContext {
        TraceContext(of: self, spanID: Self.number(random).hexadecimal)
    }

    /// The value of the header field.
    public var traceparent: String {
        "00-\(traceID)-\(spanID)-0\(flags)"
    }

    /// Puts both fields into a request's, in place of those that are there.
    public func inject(into headers: inout HTTPHeaders) {
        headers["traceparent"] = traceparent
        headers.remove("tracestate")
        if !state.isEmpty { headers["tracestate"] = state.description }
    }

    /// Random bits, not all of them zero.
    private static func number(_ random: RandomSource) -> UInt64 {
        max(1, random.next())
    }
}

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
