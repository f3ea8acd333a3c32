extension URLSessionTransport {
    /// The bounds for bytes that pile up because `URLSession` cannot be slowed down.
    public struct Limits: Hashable, Sendable {
        /// The number of bytes of a streamed response that may wait for a slow reader.
        ///
        /// `URLSession` cannot be paused; past this bound the call ends as `.bodyTooLarge`.
        public var readAhead: Int
        /// The maximum length of a request's stream; it is read to its end, past 256 KiB into a temporary file, before
        /// the first byte is sent.
        public var requestStream: Int64

        /// Makes limits; what is not named has its default.
        public init(readAhead: Int = 64 << 20, requestStream: Int64 = 1 << 30) {
            self.readAhead = readAhead
            self.requestStream = requestStream
        }
    }
}
