/// A snapshot of a client's state, for a health check or a gauge.
public struct ClientHealth: Sendable {
    /// Whether new calls may begin; `true` until `shutdown`.
    public let isOpen: Bool
    /// The number of calls in flight, including those whose body is still being read.
    public let activeCallCount: Int
    /// The age of the oldest call in flight.
    public let oldestCallAge: Duration?
    /// The number of connections that carry an exchange; `nil` if the transport does not report it.
    ///
    /// A connection over HTTP/2 counts once for each exchange.
    public let connectionsInUse: Int?
    /// The servers whose circuit is not closed, each with its state.
    public let troubledServers: [Origin: String]
    /// The number of entries in the offline queue; `nil` if no queue was named.
    public let queueDepth: Int?
    /// The number of parts of the offline queue that were found damaged or missing; `nil` if no queue was named.
    public let quarantinedCount: Int?

    /// The snapshot in the text format of Prometheus, which can be appended to that of ``NetworkMetrics``.
    public var prometheusText: String {
        var writer = PrometheusText()
        if let connectionsInUse {
            writer.add("netkit_client_connections", "gauge", "Connections that carry an exchange.", connectionsInUse)
        }
        let help = "Servers whose circuit is not closed."
        writer.add("netkit_client_troubled_servers", "gauge", help, troubledServers.count)
        if let queueDepth {
            writer.add("netkit_client_queue_depth", "gauge", "Entries that wait in the offline queue.", queueDepth)
        }
        if let quarantinedCount {
            let help = "Parts of the offline queue that were found damaged or missing."
            writer.add("netkit_client_queue_quarantined", "gauge", help, quarantinedCount)
        }
        return writer.text
    }
}

extension HTTPClient {
    /// Returns the current state of the client, its transport and its breakers.
    ///
    /// - Parameters:
    ///   - queueDepth: The number of entries that wait in the offline queue that sends through it, if there is one.
    ///   - quarantinedCount: The number of parts of the queue that were found damaged or missing.
    /// - Returns: The snapshot.
    public nonisolated func health(queueDepth: Int? = nil, quarantinedCount: Int? = nil) -> ClientHealth {
        let (now, running) = (configuration.clock.now, calls.all)
        var troubled: [Origin: String] = [:]
        for case let breaker as any EventSource in pipeline.interceptors {
            troubled.merge(breaker.troubledServers) { first, _ in first }
        }
        return ClientHealth(
            isOpen: calls.isOpen,
            activeCallCount: running.count,
            oldestCallAge: running.map(\.start).min().map { $0.duration(to: now) },
            connectionsInUse: (pipeline.actualTransport as? any ConnectionCounting)?.connectionsInUse,
            troubledServers: troubled,
            queueDepth: queueDepth,
            quarantinedCount: quarantinedCount
        )
    }
}
