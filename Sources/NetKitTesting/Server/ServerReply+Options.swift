/// The values for the modifiers.
extension ServerReply {
    /// A position in the response on the wire.
    public struct Moment: Sendable, Hashable {
        enum Place: Hashable {
            case start
            case statusLine
            case headers
            case body(Int)
            case end
        }

        let place: Place

        /// The position before the first byte.
        public static let start = Moment(place: .start)
        /// The middle of the status line.
        public static let inStatusLine = Moment(place: .statusLine)
        /// The middle of the header, after the status line.
        public static let inHeaders = Moment(place: .headers)
        /// Returns the position after a number of bytes of the body, including its chunked framing.
        public static func inBody(after count: Int) -> Moment { Moment(place: .body(count)) }
        /// The position after the last byte.
        public static let end = Moment(place: .end)
    }

    /// The part of the request that is read before the reply starts.
    public struct Depth: Sendable, Hashable {
        enum Part {
            case requestLine
            case headers
            case body
        }

        let part: Part

        /// The request line.
        public static let requestLine = Depth(part: .requestLine)
        /// The request line and the header.
        public static let headers = Depth(part: .headers)
        /// The whole request, which is the default.
        public static let body = Depth(part: .body)
    }

    /// The line ending of a head.
    public struct LineEnding: Sendable, Hashable {
        let bytes: [UInt8]

        /// CR LF, which is the correct one.
        public static let crLf = LineEnding(bytes: [13, 10])
        /// LF alone.
        public static let lf = LineEnding(bytes: [10])
        /// CR alone.
        public static let cr = LineEnding(bytes: [13])
    }

    /// The condition of a gzip body.
    public struct GzipCondition: Sendable, Hashable {
        enum Kind {
            case whole
            case corrupt
            case cutShort
        }

        let kind: Kind

        /// A valid body.
        public static let whole = GzipCondition(kind: .whole)
        /// A body that is damaged in its second half, which every decoder detects.
        public static let corrupt = GzipCondition(kind: .corrupt)
        /// A body without its second half, in a complete HTTP message.
        public static let cutShort = GzipCondition(kind: .cutShort)
    }
}
