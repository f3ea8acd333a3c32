extension NetKitError {
    /// Whether the server may have acted on a request that failed.
    ///
    /// Retry, hedging and the offline queue decide by it: what was certainly not sent may always be sent again.
    public struct Outcome: Hashable, Sendable, CustomStringConvertible {
        /// The name of the outcome.
        public let description: String

        /// Not one byte of the request left this machine.
        public static let notSent = Outcome(description: "not sent")
        /// The request, or a part of it, may have arrived; no complete answer was seen.
        public static let unknown = Outcome(description: "outcome unknown")
        /// The server answered.
        public static let answered = Outcome(description: "answered")
    }

    /// The limit in time that was exceeded.
    public struct TimeoutPhase: Hashable, Sendable, CustomStringConvertible {
        /// The name of the phase.
        public let description: String

        /// Making a connection took too long.
        public static let connect = TimeoutPhase(description: "connect")
        /// The first byte of the answer did not come in time.
        public static let firstByte = TimeoutPhase(description: "firstByte")
        /// The time without a byte in either direction was too long.
        public static let idle = TimeoutPhase(description: "idle")
        /// One attempt took too long.
        public static let attempt = TimeoutPhase(description: "attempt")
        /// Waiting for a permit of this client's own limits took too long.
        public static let queue = TimeoutPhase(description: "queue")
        /// The deadline of the whole call passed.
        public static let deadline = TimeoutPhase(description: "deadline")
    }
}
