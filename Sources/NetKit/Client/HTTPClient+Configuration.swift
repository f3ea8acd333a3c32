import Foundation

extension HTTPClient {
    /// The default configuration for calls, with safe defaults.
    ///
    /// | setting | default |
    /// |---|---|
    /// | `timeouts.connect` | 10 s |
    /// | `timeouts.firstByte` | none |
    /// | `timeouts.idle` | 30 s |
    /// | `timeouts.attempt` | 30 s |
    /// | `timeouts.total` | none |
    /// | `maxBufferedBytes` | 64 MiB |
    /// | `maxErrorBodyBytes` | 64 KiB |
    /// | `redirects` | up to 20, never from https to http |
    /// | `addressGuard` | none |
    /// | `idempotencyKeyMethods` | none |
    /// | `json` | ISO 8601 dates, unchanged keys |
    /// | `errorBody` | none |
    public struct Configuration: Sendable {
        /// The time limits.
        public var timeouts = Timeouts.standard
        /// The policy for following redirects.
        public var redirects = RedirectPolicy.standard
        /// The rules for redacting sensitive values.
        public var redaction = Redaction.standard
        /// The guard that refuses addresses; `nil` allows every address.
        public var addressGuard: AddressGuard?
        /// The methods whose calls get an `Idempotency-Key`, such as `[.post, .patch]`.
        ///
        /// Each logical call gets one key. A call that names a key, or a request that carries one, keeps it.
        public var idempotencyKeyMethods: Set<HTTPMethod> = []
        /// The settings for typed calls.
        public var payload = PayloadSettings()
        /// The clock for all limits, delays and times.
        public var clock = NetKitClock.system
        /// The source of randomness for jitter and idempotency keys.
        public var random = RandomSource.system

        /// Creates the default configuration.
        public init() {}

        /// The maximum number of bytes of a body that is collected in memory.
        public var maxBufferedBytes: Int {
            get { payload.maxBufferedBytes }
            set { payload.maxBufferedBytes = newValue }
        }

        /// The maximum number of bytes of a body that an error carries.
        public var maxErrorBodyBytes: Int {
            get { payload.maxErrorBodyBytes }
            set { payload.maxErrorBodyBytes = newValue }
        }

        /// The JSON coder for typed calls.
        public var json: JSONCoder {
            get { payload.json }
            set { payload.json = newValue }
        }

        /// The type of an error's body, for `error.body(as:)`.
        public var errorBody: (any (Decodable & Sendable).Type)? {
            get { payload.errorBody }
            set { payload.errorBody = newValue }
        }

        /// The reason why the configuration cannot be used, as a sentence; `nil` if it can.
        var problem: String? {
            if let (name, value) = timeouts.problem {
                return "timeouts.\(name) is \(value.shortText). Set a longer time, or nil for no limit."
            }
            for (name, value) in [
                ("maxBufferedBytes", Int64(maxBufferedBytes)), ("maxErrorBodyBytes", Int64(maxErrorBodyBytes)),
                ("payload.maxFileBytes", payload.maxFileBytes),
            ] where value < 0 {
                return "\(name) is \(value); it has to be 0 or more."
            }
            return redirects.maxHops < 0 ? "redirects.maxHops is \(redirects.maxHops); it has to be 0 or more." : nil
        }
    }

    /// The settings for typed calls, with the clock, the base URL and the total limit of the client.
    public nonisolated var payloadSettings: PayloadSettings {
        var settings = configuration.payload
        (settings.clock, settings.random) = (configuration.clock, configuration.random)
        (settings.baseURL, settings.totalTimeout) = (baseURL, configuration.timeouts.total)
        settings.callSettings = self.settings
        return settings
    }
}

extension InterceptorList {
    /// The default interceptors of a client: a retry interceptor with three attempts and its own budget.
    ///
    /// Each use creates a new list, so that two clients share nothing.
    public static var standard: InterceptorList { [RetryInterceptor()] }
}

extension HTTPClient.Configuration {
    /// Creates a configuration from environment variables; a setting without a variable has its default.
    ///
    /// | variable | example |
    /// |---|---|
    /// | `NETKIT_CONNECT_TIMEOUT` | `10s` |
    /// | `NETKIT_FIRST_BYTE_TIMEOUT` | `500ms` |
    /// | `NETKIT_IDLE_TIMEOUT` | `30s` |
    /// | `NETKIT_ATTEMPT_TIMEOUT` | `none` |
    /// | `NETKIT_TOTAL_TIMEOUT` | `2m` |
    /// | `NETKIT_BUFFER_LIMIT` | `64MiB` |
    /// | `NETKIT_MAX_REDIRECTS` | `20` |
    /// | `NETKIT_ALLOW_DOWNGRADE` | `false` |
    /// | `NETKIT_PUBLIC_ADDRESSES_ONLY` | `true` |
    ///
    /// - Throws: `.invalidConfiguration` with the name of the variable, if a value cannot be read.
    public init(environment: [String: String]) throws(NetKitError) {
        self.init()
        let values = EnvironmentValues(values: environment)
        timeouts.connect = try values.duration("NETKIT_CONNECT_TIMEOUT", or: timeouts.connect)
        timeouts.firstByte = try values.duration("NETKIT_FIRST_BYTE_TIMEOUT", or: timeouts.firstByte)
        timeouts.idle = try values.duration("NETKIT_IDLE_TIMEOUT", or: timeouts.idle)
        timeouts.attempt = try values.duration("NETKIT_ATTEMPT_TIMEOUT", or: timeouts.attempt)
        timeouts.total = try values.duration("NETKIT_TOTAL_TIMEOUT", or: timeouts.total)
        maxBufferedBytes = try values.byteCount("NETKIT_BUFFER_LIMIT", or: maxBufferedBytes)
        redirects.maxHops = try values.count("NETKIT_MAX_REDIRECTS", or: redirects.maxHops)
        redirects.allowsDowngrade = try values.flag("NETKIT_ALLOW_DOWNGRADE", or: redirects.allowsDowngrade)
        if try values.flag("NETKIT_PUBLIC_ADDRESSES_ONLY", or: false) { addressGuard = .publicOnly }
    }

    /// Creates a configuration from the environment of this process.
    public static func fromEnvironment() throws(NetKitError) -> HTTPClient.Configuration {
        try HTTPClient.Configuration(environment: ProcessInfo.processInfo.environment)
    }
}
