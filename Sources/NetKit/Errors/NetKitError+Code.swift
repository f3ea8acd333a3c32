extension NetKitError {
    /// The kind of failure: an open set, so that new kinds do not break a `switch`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A byte, where a string would be copied and compared.
        private enum Name: String {
            case invalidURL, invalidRequest, invalidConfiguration, timeout, offline, dns, connect, proxy, tls
            case connectionLost, server, decoding, encoding, bodyTooLarge, bodyConsumed, file, cacheMiss, conflict
            case circuitOpen, rateLimited, unauthorized, invalidResponse, redirect, addressRefused, queueFull
            case queueLocked, queued, storeUnavailable, closed, noStub, unsupported, custom
        }

        private let name: Name

        /// The name of the code, as shown in logs and metrics.
        public var description: String { name.rawValue }

        /// The URL cannot be used: not parseable, no host, or a path that leaves its segment.
        public static let invalidURL = Code(name: .invalidURL)
        /// The request cannot be sent as it is; the message names the part at fault.
        public static let invalidRequest = Code(name: .invalidRequest)
        /// The configuration is unusable; the message names the value at fault.
        public static let invalidConfiguration = Code(name: .invalidConfiguration)
        /// A time limit was exceeded; `timeoutPhase` says which.
        public static let timeout = Code(name: .timeout)
        /// The network is not available.
        public static let offline = Code(name: .offline)
        /// The host's name could not be resolved.
        public static let dns = Code(name: .dns)
        /// No connection to the host could be made.
        public static let connect = Code(name: .connect)
        /// A proxy refused to make the connection, and would refuse it again.
        public static let proxy = Code(name: .proxy)
        /// The secure connection could not be established.
        public static let tls = Code(name: .tls)
        /// The connection ended before the response was complete.
        public static let connectionLost = Code(name: .connectionLost)
        /// The server responded with a status outside 200…299 to a typed call.
        public static let server = Code(name: .server)
        /// The payload does not have the expected form; `codingPath` says where.
        public static let decoding = Code(name: .decoding)
        /// A value could not be encoded for the request.
        public static let encoding = Code(name: .encoding)
        /// The body is larger than the bound of the call, or a list has more pages than its bound.
        public static let bodyTooLarge = Code(name: .bodyTooLarge)
        /// The body was already read: a response body, or a request stream that cannot be replayed, can be read only
        /// once.
        public static let bodyConsumed = Code(name: .bodyConsumed)
        /// A file could not be read or written.
        public static let file = Code(name: .file)
        /// No stored response exists for the request, and the call may not use the network, or a cache has no value for
        /// a key.
        public static let cacheMiss = Code(name: .cacheMiss)
        /// The server has another version than the one that the change was based on.
        ///
        /// NetKit itself does not throw it. A sender of an ``OfflineQueue`` can, to report a conflict.
        public static let conflict = Code(name: .conflict)
        /// The circuit breaker of the host is open.
        public static let circuitOpen = Code(name: .circuitOpen)
        /// The client's own rate limit is reached.
        public static let rateLimited = Code(name: .rateLimited)
        /// The credential was refused, even after a refresh, there is none, or it belongs to another login than the
        /// call; `cause` is then an ``IdentityChange``.
        public static let unauthorized = Code(name: .unauthorized)
        /// The server's response breaks the protocol.
        public static let invalidResponse = Code(name: .invalidResponse)
        /// A redirect cannot be followed: too many, a loop, or one that the policy refuses.
        public static let redirect = Code(name: .redirect)
        /// The address guard refuses the address.
        public static let addressRefused = Code(name: .addressRefused)
        /// An offline queue, or the waiting line of a concurrency limit, has reached its bound.
        public static let queueFull = Code(name: .queueFull)
        /// Another process, or another queue in this one, has the queue's folder open.
        public static let queueLocked = Code(name: .queueLocked)
        /// The request could not be sent and was put into the offline queue; the cause's `receipt` says where.
        public static let queued = Code(name: .queued)
        /// A store that several processes share cannot be reached.
        public static let storeUnavailable = Code(name: .storeUnavailable)
        /// The client was shut down, or the transport, the queue or the database was closed.
        public static let closed = Code(name: .closed)
        /// A mock had no response for the request.
        public static let noStub = Code(name: .noStub)
        /// The platform or the transport cannot do this.
        public static let unsupported = Code(name: .unsupported)
        /// Code outside NetKit failed, such as an interceptor; `cause` is the error that it threw.
        public static let custom = Code(name: .custom)

        /// Returns whether an error has a code, for `catch NetKitError.Code.timeout`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? NetKitError)?.code == code
        }
    }
}
