/// The target of a request: a path below the client's base URL, or an absolute URL, with safe interpolation.
///
/// Every interpolated value is percent-encoded as one segment, so that data cannot change the target of the request:
///
/// ```swift
/// let path: RequestPath = "/users/\(id)/posts?tag=\(tag)"      // id = "a/../b" stays one segment
/// let post: RequestPath = "\(path)/\(number)"                   // a path in a path stays as it is
/// let known: RequestPath = "/files/\(raw: "a/b")"              // the rare case: taken as it is
/// ```
/// A text in a variable is not a literal: `"/users/\(id)"` inserts it as one segment, and `RequestPath(raw: text)`
/// takes it as it is. A value that would make a segment empty, `.` or `..` is refused when the request is sent.
public struct RequestPath: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The percent-encoded path, as in the URL.
    public let encoded: String

    /// The reason why the path cannot be used, for the error that `send` throws.
    let problem: String?
    /// The positions of values in `encoded`; `nil` if no part of it is known to be a literal.
    private let values: [Value]?

    /// The position of an interpolated value in `encoded`.
    fileprivate struct Value: Sendable {
        let place: Range<Int>
        let isRaw: Bool
    }

    /// Creates a path from a literal.
    public init(stringLiteral value: String) {
        encoded = Self.tolerant(value)
        problem = nil
        values = []
    }

    /// Creates a path from a text that is already a path, such as one that a server sent.
    public init(raw text: String) {
        encoded = Self.tolerant(text)
        problem = nil
        values = nil
    }

    /// Creates a path from literal parts and encoded values.
    public init(stringInterpolation: Interpolation) {
        encoded = stringInterpolation.encoded
        problem = stringInterpolation.problem()
        values = stringInterpolation.values
    }

    /// The encoded path.
    public var description: String { encoded }

    /// The encoded path for an error's message.
    var shown: String { Redaction.withoutQuery(encoded) }

    /// The path as it was written, with `{}` for each value and without scheme, host and query; `nil` if it was not a
    /// literal.
    var template: String? {
        guard let values else { return nil }
        let bytes = Array(encoded.utf8)
        var (text, end): ([UInt8], Int) = ([], 0)
        for value in values where value.place.lowerBound >= end && value.place.upperBound <= bytes.count {
            text += bytes[end..<value.place.lowerBound] + Array("{}".utf8)
            end = value.place.upperBound
        }
        text += bytes[end...]
        var path = text.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        if isAbsolute {
            let slashes = path.indices.filter { path[$0] == UInt8(ascii: "/") }
            path = slashes.count > 2 ? path[slashes[2]...] : []
        }
        return String(decoding: path, as: UTF8.self)
    }

    /// Advice for a path that a server does not know, if it is a whole path that was interpolated as one value.
    var hint: String? {
        guard let values, values.count == 1, let only = values.first, !only.isRaw else { return nil }
        let bytes = Array(encoded.utf8)
        let start = bytes.first == UInt8(ascii: "/") ? 1 : 0
        let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
        guard only.place == start..<end else { return nil }
        let value = encoded.dropFirst(start)
        guard value.hasPrefix("%2F") || (start == 0 && value.contains("%2F")) else { return nil }
        return "The path is one value, and its slashes were sent as %2F. Write \"\\(raw: path)\" for a whole path."
    }

    /// Returns whether two paths lead to the same target.
    public static func == (left: RequestPath, right: RequestPath) -> Bool {
        left.encoded == right.encoded && left.problem == right.problem
    }

    /// Hashes the encoded path.
    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }

    /// Whether it has a scheme and host of its own.
    var isAbsolute: Bool { Self.isAbsolute(encoded) }

    private static func isAbsolute(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { text in
            let text = UnsafeRawBufferPointer(text)
            return text.begins(with: "http://", ignoringCase: true) || text.begins(with: "https://", ignoringCase: true)
        }
    }

    /// Encodes characters that no URL may contain, except in the host, whose letters are encoded in another way.
    fileprivate static func tolerant(_ text: String) -> String {
        let encoded = PercentEncoding.tolerant(text)
        guard encoded.utf8.count > text.utf8.count, isAbsolute(text) else { return encoded }
        let bytes = Array(text.utf8)
        let host = URLText.host(in: bytes)
        func part(_ place: Range<Int>) -> String { String(decoding: bytes[place], as: UTF8.self) }
        return PercentEncoding.tolerant(part(0..<host.lowerBound)) + part(host)
            + PercentEncoding.tolerant(part(host.upperBound..<bytes.count))
    }
}

extension RequestPath {
    /// Collects the parts of an interpolated path.
    public struct Interpolation: StringInterpolationProtocol, Sendable {
        fileprivate private(set) var encoded = ""
        /// The interpolated values, to judge the segments that contain one.
        fileprivate private(set) var values: [Value] = []

        /// Prepares for a literal of a known size.
        public init(literalCapacity: Int, interpolationCount: Int) {
            encoded.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        /// Adds a literal part.
        public mutating func appendLiteral(_ literal: String) {
            encoded += encoded.isEmpty ? RequestPath.tolerant(literal) : PercentEncoding.tolerant(literal)
        }

        /// Adds a value, encoded as one segment.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            let start = encoded.utf8.count
            encoded += PercentEncoding.segment(value.description)
            values.append(Value(place: start..<encoded.utf8.count, isRaw: false))
        }

        /// Adds another path as it is.
        public mutating func appendInterpolation(_ path: RequestPath) {
            let start = encoded.utf8.count
            encoded += path.encoded
            guard let inner = path.values else {
                return values.append(Value(place: start..<encoded.utf8.count, isRaw: true))
            }
            values += inner.map { value in
                let place = value.place.lowerBound + start..<value.place.upperBound + start
                return Value(place: place, isRaw: value.isRaw)
            }
        }

        /// Adds a part that is already a path.
        public mutating func appendInterpolation(raw text: String) {
            let start = encoded.utf8.count
            appendLiteral(text)
            values.append(Value(place: start..<encoded.utf8.count, isRaw: true))
        }

        fileprivate func problem() -> String? {
            let bytes = Array(encoded.utf8)
            var shown: String { Redaction.withoutQuery(encoded) }
            let pathEnd = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
            for value in values where !value.isRaw && value.place.lowerBound <= pathEnd {
                let value = value.place
                let slash = UInt8(ascii: "/")
                let start = bytes[..<min(value.lowerBound, pathEnd)].lastIndex(of: slash).map { $0 + 1 } ?? 0
                let end = bytes[min(value.upperBound, pathEnd)..<pathEnd].firstIndex(of: slash) ?? pathEnd
                let segment = bytes[start..<end]
                if segment.isEmpty {
                    return "A value in the path \"\(shown)\" is empty, which would address another resource."
                }
                if segment.allSatisfy({ $0 == UInt8(ascii: ".") }), segment.count <= 2 {
                    return
                        "A value makes a segment of \"\(shown)\" \".\" or \"..\", which would address another resource."
                }
            }
            return nil
        }
    }
}
