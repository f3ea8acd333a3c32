import Foundation

/// Reports the outcomes of the client's exchanges to a network monitor.
///
/// ``ConnectivityInterceptor`` includes it. Add it on its own if calls should neither wait nor be refused. A response
/// is evidence that there is a network; a failed name lookup or connection is evidence that there is none. The monitor
/// decides whether evidence about this machine itself counts.
public struct NetworkEvidenceInterceptor: InspectableInterceptor, CallBound {
    private let monitor: any NetworkMonitor

    /// Creates an interceptor that reports to a monitor.
    public init(_ monitor: any NetworkMonitor) { self.monitor = monitor }

    /// The `.wire` stage, next to the transport.
    public var stage: Stage { .wire }

    /// A description of the interceptor.
    public var summary: String { "reports results of exchanges to the network monitor" }

    /// Forwards the request and reports the outcome.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        do {
            let response = try await next(request, context)
            reportResponse(response, to: request)
            return response
        } catch let error as NetKitError {
            report(Self.evidence(of: error), request)
            throw error
        }
    }

    @inline(never)
    private func reportResponse(_ response: HTTPResponse, to request: HTTPRequest) {
        let isSecure = request.url.scheme?.lowercased() == "https"
        report(Self.evidence(of: response.status, isSecure: isSecure), request)
    }

    @inline(never)
    private func report(_ kind: NetworkEvidence.Kind?, _ request: HTTPRequest) {
        guard let kind, let host = request.url.host() else { return }
        monitor.report(NetworkEvidence(kind, host: host))
    }

    /// Returns the evidence in a response, or `nil` if it shows nothing.
    ///
    /// On a plain connection, the response may come from a proxy that could not reach the host, or from a captive
    /// portal.
    static func evidence(of status: HTTPStatus, isSecure: Bool) -> NetworkEvidence.Kind? {
        guard !isSecure else { return .verifiedResponse }
        return switch status.code {
        case 511: .failed
        case 502...504: nil
        default: .unverifiedResponse
        }
    }

    /// Returns the evidence in a failure, or `nil` if there was a response, or if the fault is local or that of another
    /// request.
    static func evidence(of error: NetKitError) -> NetworkEvidence.Kind? {
        if error.isLocalShortage || error.isOfOtherRequest { return nil }
        return switch error.code {
        case .offline, .dns, .connect, .proxy, .connectionLost: .failed
        case .timeout: error.timeoutPhase == .connect || error.timeoutPhase == .firstByte ? .failed : nil
        default: nil
        }
    }
}
