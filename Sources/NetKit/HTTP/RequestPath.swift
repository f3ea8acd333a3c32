/// Where a request goes: a path below the client's base URL, or an absolute URL, with safe interpolation.
///
/// Every interpolated value is percent-encoded as one segment, so that data cannot change where the request goes:
///
/// ```swift
/// let path: RequestPath = "/users/\(id)/posts?tag=\(tag)"      // id = "a/../b" stays one segment
/// let known: RequestPath = "/files/\(raw: "a/b")"              // the rare case: taken as it is
/// ```
/// A text in a variable is no literal: `"/users/\(id)"` puts it in as one segment, `RequestPath(raw: text)` takes it as it is.
/// A value that would make a segment empty, `.` or `..` is refused when the request is sent.
public struct RequestPath: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The path as it goes into the URL, percent-encoded.
    public let encoded: String

    /// What is wrong with it, for the error that `send` throws.
    let problem: String?

    /// Makes a path from a literal.
    public init(stringLiteral value: String) {
        encoded = PercentEncoding.tolerant(value)
        problem = nil
    }

    /// Makes a path from a text that is already a path, such as one that a server sent.
    public init(raw text: String) {
        encoded = PercentEncoding.tolerant(text)
        problem = nil
    }

    /// Makes a path from literal parts and encoded values.
    public init(stringInterpolation: Interpolation) {
        encoded = stringInterpolation.encoded
        problem = stringInterpolation.problem()
    }

    /// The encoded path.
    public var description: String { encoded }

    /// The encoded path for an error's message.
    var shown: String { Redaction.withoutQuery(encoded) }

    /// Whether it names a scheme and host of its own.
    var isAbsolute: Bool {
        let scheme = encoded.prefix(8).lowercased()
        return scheme.hasPrefix("http://") || scheme.hasPrefix("https://")
    }
}

extension RequestPath {
    /// Collects the parts of an interpolated path.
    public struct Interpolation: StringInterpolationProtocol, Sendable {
        fileprivate private(set) var encoded = ""
        /// Where in `encoded` each interpolated value stands, to judge the segments that contain one.
        private var values: [Range<Int>] = []

        /// Prepares for a literal of a known size.
        public init(literalCapacity: Int, interpolationCount: Int) {
            encoded.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        /// Adds a literal part.
        public mutating func appendLiteral(_ literal: String) {
            encoded += PercentEncoding.tolerant(literal)
        }

        /// Adds a value, encoded as one segment.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            let start = encoded.utf8.count
            encoded += PercentEncoding.segment(value.description)
            values.append(start..<encoded.utf8.count)
        }

        /// Adds a part that is already a path.
        public mutating func appendInterpolation(raw text: String) {
            encoded += PercentEncoding.tolerant(text)
        }

        fileprivate func problem() -> String? {
            let bytes = Array(encoded.utf8)
            var shown: String { Redaction.withoutQuery(encoded) }
            let pathEnd = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
            for value in values where value.lowerBound <= pathEnd {
                let slash = UInt8(ascii: "/")
                let start = bytes[..<min(value.lowerBound, pathEnd)].lastIndex(of: slash).map { $0 + 1 } ?? 0
                let end = bytes[min(value.upperBound, pathEnd)..<pathEnd].firstIndex(of: slash) ?? pathEnd
                let segment = bytes[start..<end]
                if segment.isEmpty {
                    return "A value in the path \"\(shown)\" is empty, which would address another resource."
                }
                if segment.allSatisfy({ $0 == UInt8(ascii: ".") }), segment.count <= 2 {
                    return "A value makes \"\(shown)\" climb in the path; a segment may not be \".\" or \"..\"."
                }
            }
            return nil
        }
    }
}
