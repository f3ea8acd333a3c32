import Foundation

/// Refuses calls while there is no network, or has them wait for one.
///
/// ```swift
/// ConnectivityInterceptor(monitor, .failFast)
/// ConnectivityInterceptor(monitor, .wait(upTo: .seconds(30)))
/// ```
/// A call that is refused, or has waited in vain, throws `.offline`: nothing was sent. A call that waits also waits where
/// only the attempt shows that the network is gone: it failed with `.offline`, nothing was sent, and the monitor agrees.
///
/// What the exchanges show is reported to the monitor, by a ``NetworkEvidenceInterceptor`` that comes along.
public struct ConnectivityInterceptor: InspectableInterceptor {
    /// What happens while there is no network.
    public let policy: ConnectivityPolicy

    private let monitor: any NetworkMonitor
    private let longestWait: Duration?
    private let notes: [String]

    /// Makes an interceptor that asks a monitor; a bound outside 0 s…1 day is moved to its ends.
    public init(_ monitor: any NetworkMonitor, _ policy: ConnectivityPolicy = .failFast) {
        self.monitor = monitor
        self.policy = policy
        var check = SettingCheck()
        longestWait = policy.longestWait.map { check.duration("wait(upTo:)", $0, in: .zero ... .seconds(86_400)) }
        notes = check.notes
    }

    /// The offline stage.
    public var stage: Stage { .offline }

    /// Itself, and what tells the monitor of every exchange.
    public var parts: [any Interceptor] { [self, NetworkEvidenceInterceptor(monitor)] }

    /// The policy in words.
    public var summary: String {
        longestWait.map { "without a network: waits up to \($0.shortText)" } ?? "without a network: fails at once"
    }

    /// Names a bound that was moved into its range, and a wait that no call can last.
    public func warnings(in client: ClientInspection) -> [String] {
        var warnings = notes.map { "connectivity: \($0)" }
        if let total = client.timeouts.total, let longestWait, total < longestWait {
            warnings.append(
                "connectivity: calls may wait up to \(longestWait.shortText), but timeouts.total (\(total.shortText)) ends "
                    + "them before. Lower the bound of the wait."
            )
        }
        return warnings + client.warnings(ifRepeated: Self.self, "Each would wait for itself.")
    }

    /// Passes the request on when there is a network.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        guard let longestWait else {
            guard await monitor.isConnected else { throw Self.offline("The call was not made.") }
            return try await next(request, context)
        }
        let clock = context.clock
        var end: NetKitClock.Instant?
        while true {
            let isConnected = await monitor.isConnected
            if end != nil || !isConnected {
                let limit = end ?? clock.now.advanced(by: longestWait)
                end = limit
                guard try await waitsForConnection(until: limit, clock: clock) else {
                    throw Self.offline("None came back in \(longestWait.shortText).")
                }
            }
            do {
                return try await next(request, context)
            } catch let error as NetKitError where error.code == .offline && error.outcome == .notSent {
                guard request.body?.canReplay != false, await !monitor.isConnected else { throw error }
            }
        }
    }

    /// Returns whether a network came up before the limit and before the monitor ended.
    private func waitsForConnection(until limit: NetKitClock.Instant, clock: NetKitClock) async throws -> Bool {
        let turn = Turn<Bool>()
        // The stream begins with the current state, so that no change is missed.
        let watch = startImmediately { [monitor] in
            for await isConnected in monitor.connectionStream() where isConnected {
                turn.end(.success(true))
                return
            }
            turn.end(.success(false))
        }
        defer { watch.cancel() }
        let alarm = clock.scheduleWakeUp(at: limit) { turn.end(.success(false)) }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            try await turn.value()
        } onCancel: {
            turn.end(.failure(CancellationError()))
        }
    }

    private static func offline(_ what: String) -> NetKitError {
        NetKitError(.offline, "There is no network connection. \(what)")
    }
}

/// What happens to a call while there is no network.
public struct ConnectivityPolicy: Sendable, Hashable {
    /// How long a call waits for a network; nil where it fails at once.
    let longestWait: Duration?

    /// The call fails at once.
    public static let failFast = ConnectivityPolicy(longestWait: nil)

    /// The call waits for a network, up to a bound.
    public static func wait(upTo bound: Duration) -> ConnectivityPolicy { ConnectivityPolicy(longestWait: bound) }
}
