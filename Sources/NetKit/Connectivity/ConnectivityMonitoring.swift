/// Whatever can tell whether there is a network: all that `ConnectivityInterceptor` needs of a monitor.
///
/// ```swift
/// struct Switch: ConnectivityMonitoring {
///     var isConnected: Bool { get async { true } }
///     func connectionStream() -> AsyncStream<Bool> { AsyncStream { $0.yield(true) } }
/// }
/// ```
public protocol ConnectivityMonitoring: Sendable {
    /// Whether there is a network now.
    var isConnected: Bool { get async }

    /// Whether there is a network, each time that changes, from the moment of the call on.
    func connectionStream() -> AsyncStream<Bool>
}
