import Foundation

/// What somebody has learnt about the network by using it.
public struct NetworkEvidence: Sendable, Hashable {
    /// What was learnt: an open set.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The host answered over a connection that only it can answer on, such as TLS.
        public static let answered = Kind("answered")
        /// Somebody answered in the host's name: on a plain connection that may have been a captive portal.
        public static let answeredInClear = Kind("answeredInClear")
        /// The host could not be reached, or fell silent.
        public static let failed = Kind("failed")
    }

    /// What was learnt.
    public let kind: Kind
    /// The host that was called; one on this machine says nothing about the network.
    public let host: String

    /// Makes evidence.
    public init(_ kind: Kind, host: String) {
        self.kind = kind
        self.host = host
    }

    var isLocal: Bool { Self.isLocal(host) }

    /// Whether a host is this machine, by its name alone.
    static func isLocal(_ host: String) -> Bool {
        var host = host.lowercased()[...]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "::1"
    }
}

/// Tells a network monitor what the client's own exchanges show about the network.
///
/// ``ConnectivityInterceptor`` brings it along; put it in the list by itself where calls shall neither wait nor be refused.
/// An answer counts for the network, an address that is not found or a connection that fails against it. What is said of
/// this machine itself is left to the monitor to judge.
public struct NetworkEvidenceInterceptor: InspectableInterceptor, EndsWithCall {
    private let monitor: any NetworkMonitor

    /// Makes an interceptor that reports to a monitor.
    public init(_ monitor: any NetworkMonitor) {
        self.monitor = monitor
    }

    /// Right before the transport.
    public var stage: Stage { .wire }

    /// What it does.
    public var summary: String { "tells the network monitor what exchanges show" }

    /// Passes the request on, and reports what comes of it.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        do {
            let response = try await next(request, context)
            report(Self.evidence(of: response.status, isSecure: request.url.scheme?.lowercased() == "https"), request)
            return response
        } catch let error as NetKitError {
            report(Self.evidence(of: error), request)
            throw error
        }
    }

    private func report(_ kind: NetworkEvidence.Kind?, _ request: HTTPRequest) {
        guard let kind, let host = request.url.host() else { return }
        monitor.report(NetworkEvidence(kind, host: host))
    }

    /// An answer counts where only the host can give it; on a plain connection a proxy may say that it got no further, and
    /// a captive portal that it wants a login.
    static func evidence(of status: HTTPStatus, isSecure: Bool) -> NetworkEvidence.Kind? {
        guard !isSecure else { return .answered }
        return switch status.code {
        case 511: .failed
        case 502...504: nil
        default: .answeredInClear
        }
    }

    /// What a failure says of the network; nothing where somebody answered, or the fault is on this side.
    static func evidence(of error: NetKitError) -> NetworkEvidence.Kind? {
        switch error.code {
        case .offline, .dns, .connect, .proxy, .connectionLost: .failed
        case .timeout: error.timeoutPhase == .connect || error.timeoutPhase == .firstByte ? .failed : nil
        default: nil
        }
    }
}
