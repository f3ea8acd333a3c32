/// A case that a transport is known not to keep, by name and with the reason.
public struct ConformanceException: Sendable, Hashable {
    /// What the transport does in the case.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// It breaks the promise every time; a run that keeps it shows that the exception is stale.
        public static let fails = Kind("fails")
        /// It ends the process; `TransportConformance/run(_:)` leaves the case out, and a child process has to show it.
        public static let traps = Kind("traps")
        /// It keeps the promise at times.
        public static let varies = Kind("varies")
    }

    /// The name of the case.
    public let caseName: String
    /// What the transport does.
    public let kind: Kind
    /// Why.
    public let reason: String

    /// Makes an exception.
    public init(_ caseName: String, _ kind: Kind, _ reason: String) {
        self.caseName = caseName
        self.kind = kind
        self.reason = reason
    }
}
