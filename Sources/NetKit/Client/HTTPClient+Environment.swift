import Foundation

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
        let values = EnvironmentValues(environment)
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
