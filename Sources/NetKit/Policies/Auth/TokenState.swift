/// The state of a token, its refusals and its refreshes: decisions without a clock, a lock or a task.
///
/// A *flight* is one run of the refresh closure, however many calls wait for it. Each token has a version; when a refresh fails, the
/// token is handed out under a new one, so that a refusal of a request that was under way meanwhile gets the known error,
/// and one of a request made later may try again.
struct TokenState {
    struct Rules: Sendable {
        var canRefresh = true
        var refreshAhead = Duration.seconds(60)
        var limit = RefreshLimit.standard
    }

    enum Decision {
        /// Go on with this token.
        case use(IssuedToken)
        /// Go on with this token, and begin a flight that nobody waits for.
        case useAndBegin(IssuedToken, flight: Int)
        /// Begin a flight and wait for it.
        case begin(flight: Int)
        /// Wait for the flight that is under way.
        case wait
        /// The state without a token and without a way to get one.
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
    /// The flight under way.
    private(set) var flight: Int?
    /// Whether storage was not asked yet.
    private(set) var needsLoad: Bool
    /// The time from which the token may not be used without another decision.
    private(set) var recheckAt: NetKitClock.Instant?
    /// Whether a server refused the token.
    private(set) var isRefused = false

    private var version = 0
    /// The first version under which the current token was handed out: what is lower belongs to an older token.
    private var firstVersion = 1
    private var expiry: NetKitClock.Instant?
    private var failure: (version: Int, error: any Error)?
    private var flightCount = 0
    /// The time at which the current flight began.
    private var takeOff = NetKitClock.Instant(nanoseconds: 0)
    /// The refresh that gave the current token, until it shows whether it has helped.
    private var refresh: Refresh?
    /// The times of the latest refreshes that gave a token which did not help.
    private var useless: [NetKitClock.Instant] = []
    /// The number of flights that failed in a row, and the pause after the last one.
    private var failureCount = 0
    private var pause: (end: NetKitClock.Instant, error: any Error)?

    /// A refresh that gave a token.
    private struct Refresh {
        let start: NetKitClock.Instant
        let end: NetKitClock.Instant
        /// Whether a server accepted the token where it had refused the one before; nil as long as nobody has told.
        var isAccepted: Bool?

        /// A token that has served for so long was good for something, if nobody has told.
        private static let leastService = Duration.milliseconds(100)

        func hasHelped(at now: NetKitClock.Instant) -> Bool {
            isAccepted ?? (end.duration(to: now) >= Self.leastService)
        }
    }

    /// Creates a state without a token.
    ///
    /// - Parameters:
    ///   - rules: When a token is refreshed, and how often.
    ///   - needsLoad: Whether storage has to be asked first.
    ///   - identity: The name of the identity; `nil` gives it a random one.
    init(rules: Rules = Rules(), needsLoad: Bool = false, identity: String? = nil) {
        self.rules = rules
        ownName = identity
        self.identity = identity.map { CredentialIdentity($0) } ?? Self.randomIdentity()
        isProvisional = identity == nil
        self.needsLoad = needsLoad
    }

    /// A request needs a token.
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

    /// A server refused the token of a version.
    mutating func refused(_ version: Int, at now: NetKitClock.Instant) -> Decision {
        guard let issued, version >= firstVersion else { return needed(at: now) }
        if let failure, version <= failure.version { return .fail(failure.error) }
        guard rules.canRefresh else { return version == issued.version ? .stands : .use(issued) }
        judgeRefresh(at: now)
        if flight == nil, let problem = problem(at: now) { return .fail(problem) }
        isRefused = true
        return flight != nil ? .wait : begin(at: now)
    }

    /// A server refused the token of a version, and nobody waits for another.
    mutating func noteRefused(_ version: Int) {
        if rules.canRefresh, issued?.version == version { isRefused = true }
    }

    /// A server answered a request that was sent again with the token of a version, in place of one that it refused.
    mutating func noteReplay(_ version: Int, isAccepted: Bool) {
        guard issued != nil, version >= firstVersion, refresh?.isAccepted != true else { return }
        refresh?.isAccepted = isAccepted
    }

    /// Somebody wants a new token, whatever the old one is worth.
    mutating func demanded(at now: NetKitClock.Instant) -> Decision {
        if flight != nil { return .wait }
        return rules.canRefresh ? begin(at: now) : .missing
    }

    /// Storage was asked.
    mutating func noteLoaded() {
        needsLoad = false
    }

    /// A version for what a flight has obtained, before it is handed out; `nil` if the flight no longer counts.
    mutating func reserveVersion(for flight: Int) -> Int? {
        guard self.flight == flight else { return nil }
        version += 1
        return version
    }

    /// A flight has a token; `nil` if it no longer counts.
    mutating func succeed(
        _ flight: Int,
        _ token: AccessToken,
        lifetime: Duration?,
        at now: NetKitClock.Instant
    ) -> IssuedToken? {
        guard self.flight == flight else { return nil }
        let issued = set(token, lifetime: lifetime, at: now)
        refresh = Refresh(start: takeOff, end: now)
        (failureCount, pause) = (0, nil)
        return issued
    }

    /// A flight has failed; false if it no longer counts.
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
        // The token is still good for a while: half of what is left until the next try, then half of that.
        if let expiry, now < expiry { recheckAt = now.advanced(by: max(now.duration(to: expiry) / 2, .seconds(1))) }
        return true
    }

    /// Makes this the token after a login, which begins a new identity unless it is named as the same; whatever is under way no
    /// longer counts.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - name: The name of the identity. Without one, the name of the store stays, and any other is replaced.
    ///   - lifetime: How long the token is valid.
    ///   - now: The time.
    /// - Returns: The token to hand out.
    mutating func logIn(
        _ token: AccessToken,
        as name: String?,
        lifetime: Duration?,
        at now: NetKitClock.Instant
    ) -> IssuedToken {
        if let name {
            if name != identity.name {
                let earlier = isProvisional ? identity.name : nil
                identity = CredentialIdentity(name, isLasting: true, provisionalName: earlier)
            }
        } else if !isProvisional, identity.name != ownName {
            identity = Self.randomIdentity()
        }
        forgetRefreshes()
        return set(token, lifetime: lifetime, at: now)
    }

    /// Makes this the token of the same identity; whatever is under way no longer counts.
    mutating func set(_ token: AccessToken, lifetime: Duration?, at now: NetKitClock.Instant) -> IssuedToken {
        forget()
        isProvisional = false
        let issued = IssuedToken(token, version: version, identity: identity)
        self.issued = issued
        guard rules.canRefresh, let lifetime else { return issued }
        expiry = now.advanced(by: lifetime)
        // Never more than half of a life ahead: a short-lived token would be refreshed without end.
        recheckAt = now.advanced(by: max(lifetime - max(.zero, rules.refreshAhead), lifetime / 2))
        return issued
    }

    /// Ends the identity: there is no token, and no earlier refresh counts; gives the version that stands for that.
    mutating func clear() -> Int {
        forget()
        (identity, isProvisional) = (Self.randomIdentity(), true)
        forgetRefreshes()
        return version
    }

    /// Forgets the results of earlier refreshes.
    private mutating func forgetRefreshes() {
        (useless, failureCount, pause) = ([], 0, nil)
    }

    private static func randomIdentity() -> CredentialIdentity { .random("token-store") }

    private mutating func forget() {
        version += 1
        firstVersion = version
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
        (flight, takeOff) = (flightCount, now)
        return flightCount
    }

    /// Counts the refresh that gave the current token, which is not good any more, unless it has helped.
    private mutating func judgeRefresh(at now: NetKitClock.Instant) {
        guard let refresh else { return }
        self.refresh = nil
        guard !refresh.hasHelped(at: now) else { return }
        useless.append(refresh.start)
        useless.removeFirst(max(0, useless.count - rules.limit.effectiveMaximum))
    }

    /// Why no flight may begin now, if none may.
    private func problem(at now: NetKitClock.Instant) -> (any Error)? {
        if let pause, now < pause.end { return pause.error }
        let limit = rules.limit
        guard useless.count >= limit.effectiveMaximum, let oldest = useless.first,
            oldest.duration(to: now) < limit.effectiveWindow
        else { return nil }
        let times = limit.effectiveMaximum == 1 ? "once" : "\(limit.effectiveMaximum) times"
        let message =
            "The token was refreshed \(times) within \(limit.effectiveWindow.shortText), and no new one was any good. "
            + "Look at why the server refuses them, or raise the store's refresh limit."
        return NetKitError(.unauthorized, message)
    }
}
