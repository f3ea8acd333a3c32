public import Foundation

/// The properties of a client that an interceptor needs to check its own settings.
///
/// ```swift
/// struct Repeating: InspectableInterceptor {
///     func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse { … }
///
///     func warnings(in client: ClientInspection) -> [String] {
///         client.warnings(ifRepeated: Self.self, "Each would repeat what the other has repeated.")
///     }
/// }
/// ```
public struct ClientInspection: Sendable {
    /// Every interceptor, outermost first.
    public let interceptors: [any Interceptor]
    /// The default limits of calls.
    public let timeouts: Timeouts
    /// The URL to which paths are joined.
    public let baseURL: URL?
    /// The rules for redacting sensitive values.
    public let redaction: Redaction

    /// Creates an inspection, for testing an interceptor's warnings alone.
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

    /// Returns the interceptors of a type, outermost first.
    public func all<Found: Interceptor>(_ type: Found.Type) -> [Found] {
        interceptors.compactMap { $0 as? Found }
    }

    /// Returns a warning if there are several interceptors of a type that is useful only once.
    ///
    /// - Parameters:
    ///   - type: The type to count.
    ///   - reason: The effect of several such interceptors, as a sentence.
    /// - Returns: One warning, or none.
    public func warnings<Found: Interceptor>(ifRepeated type: Found.Type, _ reason: String) -> [String] {
        let count = all(type).count
        return count > 1 ? ["\(type) is in the list \(count) times; keep only one. \(reason)"] : []
    }

    /// Returns a warning if an object is in the list several times, of whose type there may be several objects.
    ///
    /// - Parameters:
    ///   - object: The interceptor to count.
    ///   - reason: The effect of the repetition, as a sentence.
    /// - Returns: One warning, or none.
    func warnings<Object: Interceptor & AnyObject>(ifRepeated object: Object, _ reason: String) -> [String] {
        let count = all(Object.self).count { $0 === object }
        return count > 1 ? ["The same \(Object.self) is in the list \(count) times; keep it once. \(reason)"] : []
    }

    /// Returns a warning if an interceptor of a type comes before one of another type of the same stage.
    ///
    /// - Parameters:
    ///   - type: The type that has to follow.
    ///   - other: The type that has to come first.
    ///   - reason: The effect of the wrong order, as a sentence.
    /// - Returns: One warning, or none.
    func warnings<Later: Interceptor, Earlier: Interceptor>(
        if type: Later.Type,
        isBefore other: Earlier.Type,
        _ reason: String
    ) -> [String] {
        guard let last = interceptors.lastIndex(where: { $0 is Earlier }),
            interceptors[..<last].contains(where: { $0 is Later })
        else { return [] }
        return ["\(type) comes before \(other) in the list; put it after that. \(reason)"]
    }
}

extension ClientInspection: CustomReflectable {
    /// A mirror with the secrets of the base URL masked, for `dump` and test reports.
    public var customMirror: Mirror {
        let baseURL = baseURL.map { redaction.redacted($0) }
        return Mirror(
            self,
            children: ["interceptors": interceptors, "timeouts": timeouts, "baseURL": baseURL as Any]
        )
    }
}
