extension NetKitError {
    /// The kind of failure: an open set, so that new kinds do not break a `switch`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, as shown in logs and metrics.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The URL cannot be used: not parseable, no host, or a path that leaves its segment.
        public static let invalidURL = Code("invalidURL")
        /// The request cannot be sent as it is; the message names the part at fault.
        public static let invalidRequest = Code("invalidRequest")
        /// The configuration is unusable; the message names the value at fault.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// A time limit was exceeded; `timeoutPhase` says which.
        public static let timeout = Code("timeout")
        /// The network is not available.
        public static let offline = Code("offline")
        /// The host's name could not be resolved.
        public static let dns = Code("dns")
        /// No connection to the host could be made.
        public static let connect = Code("connect")
        /// A proxy refused to make the connection, and would refuse it again.
        public static let proxy = Code("proxy")
        /// The secure connection could not be established.
        public static let tls = Code("tls")
        /// The connection ended before the response was complete.
        public static let connectionLost = Code("connectionLost")
        /// The server responded with a status outside 200…299 to a typed call.
        public static let server = Code("server")
        /// The payload does not have the expected form; `codingPath` says where.
        public static let decoding = Code("decoding")
        /// A value could not be encoded for the request.
        public static let encoding = Code("encoding")
        /// The body is larger than the bound of the call, or a list has more pages than its bound.
        public static let bodyTooLarge = Code("bodyTooLarge")
        /// The body was already read: a response body, or a request stream that cannot be replayed, can be read only
        /// once.
        public static let bodyConsumed = Code("bodyConsumed")
        /// A file could not be read or written.
        public static let file = Code("file")
        /// No stored response exists for the request, and the call may not use the network, or a cache has no value for
        /// a key.
        public static let cacheMiss = Code("cacheMiss")
        /// The server has another version than the one that the change was based on.
        ///
        /// NetKit itself does not throw it. A sender of an ``OfflineQueue`` can, to report a conflict.
        public static let conflict = Code("conflict")
        /// The circuit breaker of the host is open.
        public static let circuitOpen = Code("circuitOpen")
        /// The client's own rate limit is reached.
        public static let rateLimited = Code("rateLimited")
        /// The credential was refused, even after a refresh, there is none, or it belongs to another login than the
        /// call; `cause` is then an ``IdentityChange``.
        public static let unauthorized = Code("unauthorized")
        /// The server's response breaks the protocol.
        public static let invalidResponse = Code("invalidResponse")
        /// A redirect cannot be followed: too many, a loop, or one that the policy refuses.
        public static let redirect = Code("redirect")
        /// The address guard refuses the address.
        public static let addressRefused = Code("addressRefused")
        /// An offline queue, or the waiting line of a concurrency limit, has reached its bound.
        public static let queueFull = Code("queueFull")
        /// Another process, or another queue in this one, has the queue's folder open.
        public static let queueLocked = Code("queueLocked")
        /// The request could not be sent and was put into the offline queue; the cause's `receipt` says where.
        public static let queued = Code("queued")
        /// A store that several processes share cannot be reached.
        public static let storeUnavailable = Code("storeUnavailable")
        /// The client was shut down, or the transport, the queue or the database was closed.
        public static let closed = Code("closed")
        /// A mock had no response for the request.
        public static let noStub = Code("noStub")
        /// The platform or the transport cannot do this.
        public static let unsupported = Code("unsupported")
        /// Code outside NetKit failed, such as an interceptor; `cause` is the error that it threw.
        public static let custom = Code("custom")

        /// Returns whether an error has a code, for `catch NetKitError.Code.timeout`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? NetKitError)?.code == code
        }
    }
}
