extension URLSessionTransport {
    /// How much may pile up where `URLSession` cannot be slowed down.
    public struct Limits: Hashable, Sendable {
        /// How many bytes of a streamed answer may wait for a reader that is slower than the network.
        ///
        /// `URLSession` cannot be paused; past this bound the call ends as `.bodyTooLarge`.
        public var readAhead: Int
        /// How many bytes a request's stream may have; it is read to its end, past 256 KiB into a temporary file, before
        /// the first byte is sent.
        public var requestStream: Int64

        /// Makes limits; what is not named has its default.
        public init(readAhead: Int = 64 << 20, requestStream: Int64 = 1 << 30) {
            self.readAhead = readAhead
            self.requestStream = requestStream
        }
    }
}
