import Foundation

extension HTTPClient {
    /// What a client goes by where a call says nothing else; a value with safe defaults.
    ///
    /// | setting | default |
    /// |---|---|
    /// | `timeouts.connect` | 10 s |
    /// | `timeouts.firstByte` | none |
    /// | `timeouts.idle` | 30 s |
    /// | `timeouts.attempt` | 30 s |
    /// | `timeouts.total` | none |
    /// | `bufferLimit` | 64 MiB |
    /// | `errorBodyLimit` | 64 KiB |
    /// | `redirects` | up to 20, never from https to http |
    /// | `addressGuard` | none |
    /// | `idempotencyKeyMethods` | none |
    /// | `json` | ISO 8601 dates, keys as they are |
    /// | `errorBody` | none |
    public struct Configuration: Sendable {
        /// The limits in time.
        public var timeouts = Timeouts.standard
        /// Which redirects are followed.
        public var redirects = RedirectPolicy.standard
        /// What is secret.
        public var redaction = Redaction.standard
        /// What refuses addresses, if anything does.
        public var addressGuard: AddressGuard?
        /// The methods whose calls get an `Idempotency-Key`, one for each logical call, such as `[.post, .patch]`.
        ///
        /// A call that names a key, or a request that carries one, keeps it.
        public var idempotencyKeyMethods: Set<HTTPMethod> = []
        /// What typed calls go by.
        public var payload = PayloadSettings()
        /// The clock everything goes by.
        public var clock = NetKitClock.system
        /// Where randomness comes from.
        public var random = RandomSource.system

        /// Makes the default configuration.
        public init() {}

        /// How many bytes of a body are collected in memory at most.
        public var bufferLimit: Int {
            get { payload.bufferLimit }
            set { payload.bufferLimit = newValue }
        }

        /// How many bytes of a body an error carries at most.
        public var errorBodyLimit: Int {
            get { payload.errorBodyLimit }
            set { payload.errorBodyLimit = newValue }
        }

        /// How typed calls encode and decode.
        public var json: JSONCoder {
            get { payload.json }
            set { payload.json = newValue }
        }

        /// What the body of an error is, found as `error.body(as:)`.
        public var errorBody: (any (Decodable & Sendable).Type)? {
            get { payload.errorBody }
            set { payload.errorBody = newValue }
        }

        /// What is wrong with it, in a sentence, or nil.
        var problem: String? {
            if let (name, value) = timeouts.problem {
                return "timeouts.\(name) is \(value.shortText); a limit has to be longer than nothing, or nil for none."
            }
            for (name, value) in [("bufferLimit", bufferLimit), ("errorBodyLimit", errorBodyLimit)] where value < 0 {
                return "\(name) is \(value); it has to be 0 or more."
            }
            return redirects.maxHops < 0 ? "redirects.maxHops is \(redirects.maxHops); it has to be 0 or more." : nil
        }
    }
}
