public import Foundation

/// What a client is made of, as far as an interceptor needs it to say whether its own settings make sense there.
///
/// ```swift
/// func warnings(in client: ClientInspection) -> [String] {
///     client.warnings(ifRepeated: Self.self, "Each would repeat what the other has repeated.")
/// }
/// ```
public struct ClientInspection: Sendable {
    /// Every interceptor, outermost first.
    public let interceptors: [any Interceptor]
    /// The limits in time of a call that sets none itself.
    public let timeouts: Timeouts
    /// The URL that paths are joined to.
    public let baseURL: URL?
    /// What is secret.
    public let redaction: Redaction

    /// Makes facts, for testing an interceptor's warnings alone.
    public init(
        interceptors: [any Interceptor] = [],
        timeouts: Timeouts = .standard,
        baseURL: URL? = nil,
        redaction: Redaction = .standard
    ) {
        self.interceptors = interceptors
        self.timeouts = timeouts
        self.baseURL = baseURL
        self.redaction = redaction
    }

    /// The interceptors of a type, outermost first.
    public func all<Found: Interceptor>(_ type: Found.Type) -> [Found] {
        interceptors.compactMap { $0 as? Found }
    }

    /// A warning where several interceptors of a type stand in the chain, for what makes sense only once.
    ///
    /// - Parameters:
    ///   - type: The type to count.
    ///   - reason: What comes of several, as a sentence.
    /// - Returns: One warning, or none.
    public func warnings<Found: Interceptor>(ifRepeated type: Found.Type, _ reason: String) -> [String] {
        let count = all(type).count
        return count > 1 ? ["\(type) stands in the list \(count) times; keep one. \(reason)"] : []
    }
}
