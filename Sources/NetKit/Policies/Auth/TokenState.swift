/// The state of a token, its refusals and its refreshes: decisions without a clock, a lock or a task.
///
/// A *flight* is one run of the refresh closure, for any number of waiting calls. Each token has a version. When a
/// refresh fails, the token gets a new version: a refusal of the old version then gets the known error, and a refusal
/// of the new one may start another refresh.
struct TokenState {
    struct Rules: Sendable {
        var canRefresh = true
        var refreshAhead = Duration.seconds(60)
        var limit = RefreshLimit.standard
    }

    enum Decision {
        /// Continue with this token.
        case use(IssuedToken)
        /// Continue with this token, and begin a flight without waiting for it.
        case useAndBegin(IssuedToken, flight: Int)
        /// Begin a flight and wait for it.
        case begin(flight: Int)
        /// Wait for the flight that is under way.
        case wait
        /// No token, and no way to get one.
        case missing
        /// The refusal is the response.
        case stands
        /// The refresh has failed already.
        case fail(any Error)
    }

    let rules: Rules
    /// The name that the store was created with.
    private let ownName: String?
    private(set) var issued: IssuedToken?
    /// The identity that the token stands for, or that the first one will.
    private(set) var identity: CredentialIdentity
    /// Whether there has been no token under the identity yet, so that the first one may name it.
    private var isProvisional: Bool
    /// The login that followed the latest provisional identity, which it continues again after other logins.
    private var firstLogin: CredentialIdentity?
    /// The flight under way.
    private(set) var flight: Int?
    /// Whether the stored token has not been loaded yet.
    private(set) var needsLoad: Bool
    /// The time from which the token may not be used without another decision.
    private(set) var recheckAt: NetKitClock.Instant?
    /// Whether a server refused the token.
    private(set) var isRefused = false

    private var version = 0
    /// The first version of the current token; lower versions belong to older tokens.
    private var firstVersion = 1
    private var expiry: NetKitClock.Instant?
    private var failure: (version: Int, error: any Error)?
    private var flightCount = 0
    /// The first flight that can still bring a token; lower ones began before the current token or the last logout.
    private var firstFlight = 1
    /// The number of flights from the first one on that have not come to their end, even if they have failed before.
    private var openFlights = 0
    /// The time at which the current flight began.
    private var flightStart = NetKitClock.Instant(nanoseconds: 0)
    /// The refresh that produced the current token, until the token proves useful or not.
    private var refresh: Refresh?
    /// The start times of the latest refreshes that did not help.
    private var unhelpfulRefreshes: [NetKitClock.Instant] = []
    /// The number of flights that failed in a row, and the pause after the last one.
    private var failureCount = 0
    private var pause: (end: NetKitClock.Instant, error: any Error)?

    /// A refresh that gave a token.
    private struct Refresh {
        let start: NetKitClock.Instant
        let end: NetKitClock.Instant
        /// Whether a server accepted the token after it refused the previous one; `nil` if that is unknown.
        var isAccepted: Bool?

        /// The time of service after which a token counts as useful, if its acceptance is unknown.
        private static let minService = Duration.milliseconds(100)

        func hasHelped(at now: NetKitClock.Instant) -> Bool {
            isAccepted ?? (end.duration(to: now) >= Self.minService)
        }
    }

    /// Creates a state without a token; `needsLoad` is whether the stored token has to be loaded first.
    ///
    /// The default name of the identity is random.
    init(rules: Rules, needsLoad: Bool = false, identity: String? = nil) {
        self.rules = rules
        ownName = identity
        self.identity = identity.map { CredentialIdentity($0) } ?? Self.randomIdentity()
        isProvisional = identity == nil
        self.needsLoad = needsLoad
    }

    /// Decides about a request that needs a token.
    mutating func needed(at now: NetKitClock.Instant) -> Decision {
        guard let issued else {
            if flight != nil { return .wait }
            return rules.canRefresh || needsLoad ? begin(at: now) : .missing
        }
        guard rules.canRefresh else { return .use(issued) }
        guard isRefused || isExpired(at: now) else {
            guard let recheckAt, recheckAt <= now, flight == nil else { return .use(issued) }
            judgeRefresh(at: now)
            return problem(at: now) == nil ? .useAndBegin(issued, flight: start(at: now)) : .use(issued)
        }
        return flight != nil ? .wait : begin(at: now)
    }

    /// Decides about a refusal of a version of the token.
    mutating func refused(_ version: Int, at now: NetKitClock.Instant) -> Decision {
        guard let issued, version >= firstVersion else { return needed(at: now) }
        if let failure, version <= failure.version { return .fail(failure.error) }
        guard rules.canRefresh else { return version == issued.version ? .stands : .use(issued) }
        judgeRefresh(at: now)
        if flight == nil, let problem = problem(at: now) { return .fail(problem) }
        isRefused = true
        return flight != nil ? .wait : begin(at: now)
    }

    /// Notes a refusal of a version of the token if no call waits for a replacement.
    ///
    /// While no refresh may begin, the token stays in use, because other servers may accept it.
    mutating func noteRefused(_ version: Int, at now: NetKitClock.Instant) {
        guard rules.canRefresh, issued?.version == version else { return }
        judgeRefresh(at: now)
        if problem(at: now) == nil { isRefused = true }
    }

    /// Notes whether a server accepted a version in a request that it had refused before.
    mutating func noteReplay(_ version: Int, isAccepted: Bool) {
        guard issued != nil, version >= firstVersion, refresh?.isAccepted != true else { return }
        refresh?.isAccepted = isAccepted
    }

    /// Decides about a demand for a new token, even if the old one is valid.
    mutating func demanded(at now: NetKitClock.Instant) -> Decision {
        if flight != nil { return .wait }
        return rules.canRefresh ? begin(at: now) : .missing
    }

    /// Notes that the stored token was loaded.
    mutating func noteLoaded() { needsLoad = false }

    /// Whether a flight may still bring a token, even one that has failed because its time was over.
    var awaitsToken: Bool { openFlights > 0 }

    /// Notes that a flight has come to its end, after the save of its token.
    mutating func noteEnd(of flight: Int) {
        if flight >= firstFlight { openFlights -= 1 }
    }

    /// Returns whether another flight is under way, and no login, logout or token has followed this one.
    func isOvertaken(_ flight: Int) -> Bool { self.flight.map { $0 != flight } ?? false && flight >= firstFlight }

    /// Makes a flight count again that has failed before its token came.
    ///
    /// Returns `false` if it still counts, if another one is under way, or if a login, a logout or another token
    /// followed.
    mutating func resume(_ flight: Int) -> Bool {
        guard self.flight == nil, flight >= firstFlight else { return false }
        self.flight = flight
        return true
    }

    /// Returns a version for a flight's token before it is handed out; `nil` if the flight no longer counts.
    mutating func reserveVersion(for flight: Int) -> Int? {
        guard self.flight == flight else { return nil }
        version += 1
        return version
    }

    /// Ends a flight with a token, and returns the token to hand out; `nil` if the flight no longer counts.
    mutating func succeed(
        _ flight: Int,
        _ token: AccessToken,
        lifetime: Duration?,
        at now: NetKitClock.Instant
    ) -> IssuedToken? {
        guard self.flight == flight else { return nil }
        let issued = set(token, lifetime: lifetime, at: now)
        refresh = Refresh(start: flightStart, end: now)
        (failureCount, pause) = (0, nil)
        return issued
    }

    /// Ends a flight with an error.
    ///
    /// Returns `false` if the flight no longer counts.
    mutating func fail(_ flight: Int, _ error: any Error, at now: NetKitClock.Instant) -> Bool {
        guard self.flight == flight else { return false }
        self.flight = nil
        failureCount += 1
        pause = (now.advanced(by: rules.limit.pause(afterFailures: failureCount)), error)
        guard let issued else { return true }
        if isRefused || isExpired(at: now) {
            failure = (issued.version, error)
            version += 1
            self.issued = issued.reissued(as: version)
            isRefused = false
        }
        // The token is still valid: try again after half of its remaining life, then after half of the rest.
        if let expiry, now < expiry {
            recheckAt = min(expiry, now.advanced(by: max(now.duration(to: expiry) / 2, .seconds(1))))
        }
        return true
    }

    /// Sets the token after a login, which begins a new identity unless the name is the same, and returns it as issued.
    ///
    /// A flight under way no longer counts. Without a name, the store's own name stays, and any other name is replaced.
    mutating func logIn(
        _ token: AccessToken,
        as name: String?,
        lifetime: Duration?,
        at now: NetKitClock.Instant
    ) -> IssuedToken {
        if let name {
            if !name.isExactly(identity.name) {
                if isProvisional {
                    firstLogin = CredentialIdentity(name, isLasting: true, provisionalName: identity.name)
                }
                identity = firstLogin.flatMap { name.isExactly($0.name) ? $0 : nil } ?? CredentialIdentity(name)
            }
        } else if !isProvisional, !identity.name.isExactly(ownName) {
            identity = Self.randomIdentity()
        }
        forgetRefreshes()
        return set(token, lifetime: lifetime, at: now)
    }

    /// Sets the token of the same identity.
    ///
    /// A flight under way no longer counts.
    mutating func set(_ token: AccessToken, lifetime: Duration?, at now: NetKitClock.Instant) -> IssuedToken {
        forget()
        isProvisional = false
        let issued = IssuedToken(token, version: version, identity: identity)
        self.issued = issued
        guard rules.canRefresh, let lifetime else { return issued }
        expiry = now.advanced(by: lifetime)
        // At most half of the lifetime ahead, or a short-lived token would be refreshed without end.
        let ahead = now.advanced(by: lifetime).advanced(by: .zero - max(.zero, rules.refreshAhead))
        recheckAt = max(ahead, now.advanced(by: lifetime / 2))
        return issued
    }

    /// Forgets the token, its identity and its refreshes, and returns the new version.
    mutating func clear() -> Int {
        forget()
        (identity, isProvisional) = (Self.randomIdentity(), true)
        forgetRefreshes()
        return version
    }

    /// Forgets the results of earlier refreshes.
    private mutating func forgetRefreshes() {
        (unhelpfulRefreshes, failureCount, pause) = ([], 0, nil)
    }

    private static func randomIdentity() -> CredentialIdentity { .random("token-store") }

    private mutating func forget() {
        version += 1
        (firstVersion, firstFlight, openFlights) = (version, flightCount + 1, 0)
        (issued, flight, failure, expiry, recheckAt, refresh) = (nil, nil, nil, nil, nil, nil)
        (isRefused, needsLoad) = (false, false)
    }

    private func isExpired(at now: NetKitClock.Instant) -> Bool {
        expiry.map { $0 <= now } ?? false
    }

    private mutating func begin(at now: NetKitClock.Instant) -> Decision {
        judgeRefresh(at: now)
        if let problem = problem(at: now) { return .fail(problem) }
        return .begin(flight: start(at: now))
    }

    private mutating func start(at now: NetKitClock.Instant) -> Int {
        flightCount += 1
        (flight, flightStart) = (flightCount, now)
        openFlights += 1
        return flightCount
    }

    /// Counts the refresh that gave the current token, which is no longer valid, unless it helped.
    private mutating func judgeRefresh(at now: NetKitClock.Instant) {
        guard let refresh else { return }
        self.refresh = nil
        guard !refresh.hasHelped(at: now) else { return }
        unhelpfulRefreshes.append(refresh.start)
        unhelpfulRefreshes.removeFirst(max(0, unhelpfulRefreshes.count - rules.limit.effectiveMaximum))
    }

    /// Returns the error that keeps a flight from beginning now, if there is one.
    private func problem(at now: NetKitClock.Instant) -> (any Error)? {
        if let pause, now < pause.end { return pause.error }
        let limit = rules.limit
        guard unhelpfulRefreshes.count >= limit.effectiveMaximum, let oldest = unhelpfulRefreshes.first,
            oldest.duration(to: now) < limit.effectiveWindow
        else { return nil }
        let times = limit.effectiveMaximum == 1 ? "once" : "\(limit.effectiveMaximum) times"
        let message =
            "The token was refreshed \(times) within \(limit.effectiveWindow.shortText), and no new token was "
            + "accepted. Check why the server refuses them, or raise the store's refresh limit."
        return NetKitError(.unauthorized, message, cause: RefreshLimitReached())
    }
}
