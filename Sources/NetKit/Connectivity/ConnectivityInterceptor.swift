/// Refuses calls while there is no network, or makes them wait for one.
///
/// ```swift
/// ConnectivityInterceptor(monitor, .failFast)
/// ConnectivityInterceptor(monitor, .wait(upTo: .seconds(30)))
/// ```
/// A call that is refused, or whose wait ends without a network, throws `.offline`, and nothing was sent. With
/// ``ConnectivityPolicy/wait(upTo:)``, a call also waits if its attempt fails with `.offline` before anything was sent
/// and the monitor confirms that there is no network.
///
/// It comes before the cache: a call is refused or waits even if a stored response could answer it. Use
/// ``NetworkEvidenceInterceptor`` alone in a client whose cache serves calls without a network. An
/// ``OfflineInterceptor`` has to be listed before this interceptor.
///
/// The interceptor includes a ``NetworkEvidenceInterceptor``, which reports the outcome of each exchange to the
/// monitor.
public struct ConnectivityInterceptor: InspectableInterceptor {
    /// The policy for calls while there is no network.
    public let policy: ConnectivityPolicy

    private let monitor: any NetworkMonitor
    private let maxWait: Duration?
    private let notes: [String]

    /// Creates an interceptor that asks a monitor.
    ///
    /// A waiting time outside 0 s…1 day is clamped, and `explain()` reports it.
    public init(_ monitor: any NetworkMonitor, _ policy: ConnectivityPolicy = .failFast) {
        self.monitor = monitor
        self.policy = policy
        var check = SettingCheck()
        maxWait = policy.maxWait.map { check.duration("wait(upTo:)", $0, in: .zero ... .seconds(86_400)) }
        notes = check.notes
    }

    /// The `.offline` stage.
    public var stage: Stage { .offline }

    /// The interceptor itself and one that reports exchanges to the monitor.
    public var parts: [any Interceptor] { [self, NetworkEvidenceInterceptor(monitor)] }

    /// A description of the policy.
    public var summary: String {
        maxWait.map { "without a network: waits up to \($0.shortText)" } ?? "without a network: fails at once"
    }

    /// Returns diagnostics about a clamped waiting time and about a wait longer than the call may take.
    public func warnings(in client: ClientInspection) -> [String] {
        var warnings = notes.map { "connectivity: \($0)" }
        if let total = client.timeouts.total, let maxWait, total < maxWait {
            warnings.append(
                "connectivity: calls may wait up to \(maxWait.shortText), but timeouts.total (\(total.shortText)) ends "
                    + "them sooner. Lower the bound of the wait."
            )
        }
        return warnings + client.warnings(ifRepeated: Self.self, "Both would wait. Keep one.")
    }

    /// Forwards the request if there is a network, or once there is one.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        let clock = context.clock
        var end: NetKitClock.Instant?
        while true {
            let isConnected = await monitor.isConnected
            if end != nil || !isConnected {
                guard let maxWait else { throw Self.offline("The call was not made.") }
                let limit = end ?? clock.now.advanced(by: maxWait)
                end = limit
                try await waitForConnection(until: limit, of: maxWait, clock: clock)
            }
            do {
                return try await next(request, context)
            } catch let error as NetKitError
                where error.code == .offline && context.call.outcome(after: error) == .notSent
            {
                guard let maxWait, request.body?.canReplay != false, await !monitor.isConnected else { throw error }
                // The next attempt waits, even if the network is back by then: the limit counts from here on.
                end = end ?? clock.now.advanced(by: maxWait)
            }
        }
    }

    /// Waits until there is a network; throws `.offline` at the limit of a wait, or after the end of the monitor.
    private func waitForConnection(
        until limit: NetKitClock.Instant,
        of maxWait: Duration,
        clock: NetKitClock
    ) async throws {
        let promise = Promise<Void>()
        // The stream begins with the current state, so that no change is missed.
        let watch = startImmediately { [monitor] in
            for await isConnected in monitor.connectionStream() where isConnected {
                promise.resolve(.success(()))
                return
            }
            promise.resolve(.failure(Self.offline("The network monitor ended while the call waited for one.")))
        }
        defer { watch.cancel() }
        let alarm = clock.scheduleWakeUp(at: limit) {
            promise.resolve(.failure(Self.offline("None returned within \(maxWait.shortText).")))
        }
        defer { alarm.cancel() }
        try await promise.cancellableValue()
    }

    private static func offline(_ what: String) -> NetKitError {
        NetKitError(.offline, "There is no network connection. \(what)")
    }
}

/// The policy for calls while there is no network.
public struct ConnectivityPolicy: Sendable, Hashable {
    /// The longest time that a call waits for a network, or `nil` if it fails at once.
    let maxWait: Duration?

    /// The policy that fails a call at once.
    public static let failFast = ConnectivityPolicy(maxWait: nil)

    /// Returns a policy that makes a call wait for a network, up to a limit.
    public static func wait(upTo bound: Duration) -> ConnectivityPolicy { ConnectivityPolicy(maxWait: bound) }
}
