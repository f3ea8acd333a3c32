/// One value of a metric, as a ``MetricSource`` reports it.
public struct MetricSample: Sendable, Hashable {
    /// The kind of a metric.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind, as Prometheus writes it.
        public let description: String

        /// A value that rises and falls.
        public static let gauge = Kind(description: "gauge")
        /// A value that only rises, and begins again at 0 with the process.
        public static let counter = Kind(description: "counter")
    }

    /// The name of the metric, with its unit: lower-case letters, digits and underscores.
    ///
    /// The text for Prometheus leaves out a metric with the name of one of NetKit's own.
    public var name: String
    /// The kind of the metric.
    public var kind: Kind
    /// A sentence about the metric.
    public var help: String
    /// The labels that distinguish the values of a metric.
    public var labels: [String: String]
    /// The value.
    public var value: Double

    /// Creates a value.
    public init(_ name: String, _ kind: Kind, _ help: String, labels: [String: String] = [:], value: Double) {
        (self.name, self.kind, self.help, self.labels, self.value) = (name, kind, help, labels, value)
    }
}

/// An object whose metrics are read when they are asked for, such as an `OfflineQueue`.
///
/// `MetricsCollector.add(_:labels:)` adds one to the metrics of a process.
public protocol MetricSource: AnyObject, Sendable {
    /// Returns the current values.
    func metricSamples() async -> [MetricSample]
}
