/// What modifiers choose from.
extension ServerReply {
    /// A place in the answer, as it goes over the wire.
    public struct Moment: Sendable, Hashable {
        enum Place: Hashable {
            case start
            case statusLine
            case headers
            case body(Int)
            case end
        }

        let place: Place

        /// Ahead of the first byte.
        public static let start = Moment(place: .start)
        /// In the middle of the status line.
        public static let inStatusLine = Moment(place: .statusLine)
        /// In the middle of the header, behind the status line.
        public static let inHeaders = Moment(place: .headers)
        /// Behind a number of bytes of the body, counted with its chunked framing.
        public static func inBody(after count: Int) -> Moment { Moment(place: .body(count)) }
        /// Behind the last byte.
        public static let end = Moment(place: .end)
    }

    /// How much of the request is read before the reply starts.
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
        /// All of it: the usual case.
        public static let body = Depth(part: .body)
    }

    /// How the lines of a head end.
    public struct LineEnding: Sendable, Hashable {
        let bytes: [UInt8]

        /// CR LF, as it should be.
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

        /// In order.
        public static let whole = GzipCondition(kind: .whole)
        /// Damaged in its second half: no decoder gets past it.
        public static let corrupt = GzipCondition(kind: .corrupt)
        /// Without its second half, though the HTTP message is complete.
        public static let cutShort = GzipCondition(kind: .cutShort)
    }
}
