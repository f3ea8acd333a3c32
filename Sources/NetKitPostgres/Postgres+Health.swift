public import NetKit

extension Postgres {
    /// The state of the connections to a database.
    public struct Health: Sendable {
        /// Whether there is a connection for heartbeats and notices.
        public internal(set) var isConnected = false
        /// Whether notices of other processes arrive.
        ///
        /// If not, changes are found by polling, up to a second later. Listening begins when the first queue, token or
        /// cache is opened.
        public internal(set) var isListening = false
        /// Whether the connection goes through a pooler that does not deliver notices.
        public internal(set) var isPooled = false
        /// The version of the server in PostgreSQL's numeric form, such as 150004 for 15.4.
        public internal(set) var serverVersion: Int?
        /// The reason why the connection for heartbeats was lost, or why the latest connection could not be made; `nil`
        /// if all is well.
        public internal(set) var problem: NetKitError?
    }

    /// Something that happened to the connections to a database.
    public struct Event: Sendable, CustomStringConvertible {
        /// A kind of event; more may be added.
        public struct Kind: Sendable, Hashable, CustomStringConvertible {
            /// The name of the event.
            public let description: String

            /// A connection was made, and takes statements.
            public static let connected = Kind(description: "connected")
            /// No connection can be made at the moment; `error` says why.
            public static let unreachable = Kind(description: "unreachable")
            /// A connection was lost; `error` says why.
            public static let connectionLost = Kind(description: "connection lost")
            /// Notices of other processes arrive from now on.
            public static let listening = Kind(description: "listening")
            /// Notices do not arrive, for example through a pooler; changes are found by polling.
            public static let polling = Kind(description: "polling")
            /// The schema was created or migrated.
            public static let migrated = Kind(description: "migrated")
            /// Expired or excess entries of a cache could not be removed; `error` says why.
            ///
            /// It is tried again after the next write, a minute later at the earliest. Until then, the entries can take
            /// more than the bound.
            public static let cacheNotTrimmed = Kind(description: "cache not trimmed")
            /// The connections were closed.
            public static let closed = Kind(description: "closed")
        }

        /// The kind of event.
        public let kind: Kind
        /// The error, if the event has one.
        public let error: NetKitError?

        /// The event and its error in one line.
        public var description: String { error.map { "\(kind): \($0)" } ?? kind.description }
    }
}

extension Postgres {
    /// The reason why there is no connection for heartbeats; `nil` if there is one, or if none has been tried yet.
    var absence: NetKitError? {
        let health = health
        return health.isConnected ? nil : health.problem
    }
}
