import Testing

/// The features that one simulation of identities turns on.
struct IdentityFeatures: OptionSet, Sendable {
    let rawValue: Int

    /// Logins name the user: `set(token, identity: user)`. Otherwise the token store is left without a name.
    static let namedLogins = IdentityFeatures(rawValue: 1 << 0)
    /// An API key of the application stands beside the user's token.
    static let apiKey = IdentityFeatures(rawValue: 1 << 1)
    static let cache = IdentityFeatures(rawValue: 1 << 2)
    static let coalescing = IdentityFeatures(rawValue: 1 << 3)
    static let hedging = IdentityFeatures(rawValue: 1 << 4)
    /// The server responds with 503, resets connections and stalls.
    static let outages = IdentityFeatures(rawValue: 1 << 5)
    /// The server refuses tokens that it gave out, and a refresh takes time and can fail.
    static let expiry = IdentityFeatures(rawValue: 1 << 6)
    /// Responses are stale at once, and are revalidated in the background.
    static let staleness = IdentityFeatures(rawValue: 1 << 7)
    static let redirects = IdentityFeatures(rawValue: 1 << 8)
    static let reads = IdentityFeatures(rawValue: 1 << 9)
    static let writes = IdentityFeatures(rawValue: 1 << 10)
    static let queue = IdentityFeatures(rawValue: 1 << 11)
    static let passwords = IdentityFeatures(rawValue: 1 << 12)
    static let repositories = IdentityFeatures(rawValue: 1 << 13)
    /// The client retries what failed, after a back-off.
    static let retries = IdentityFeatures(rawValue: 1 << 14)

    static let all = IdentityFeatures(rawValue: (1 << 15) - 1)

    /// Pages and batches, which are several calls for one user.
    static let sequences = IdentityFeatures(rawValue: 1 << 15)
}

/// One kind of mix-up, with the features that can bring it about.
enum IdentityFocus: String, CaseIterable, CustomTestStringConvertible {
    case twoCredentials
    case retries
    case refreshes
    case revalidations
    case redirects
    case hedges
    case writes
    case queue
    case unnamedQueue
    case unnamedLogins
    case passwords
    case repositories
    case everything
    case everythingUnnamed
    case sequences

    var testDescription: String { rawValue }

    /// The seeds of this kind alone: half of them are even, which makes a world with one client.
    func seeds(_ count: Int) -> Range<UInt64> {
        let first = UInt64(Self.allCases.firstIndex(of: self) ?? 0) * 10_000
        return first..<first + UInt64(count)
    }

    var features: IdentityFeatures {
        switch self {
        case .twoCredentials: [.namedLogins, .apiKey, .cache, .coalescing, .reads]
        case .retries: [.namedLogins, .cache, .coalescing, .outages, .retries, .reads]
        case .refreshes: [.namedLogins, .cache, .coalescing, .expiry, .reads]
        case .revalidations: [.namedLogins, .cache, .staleness, .outages, .retries, .expiry, .reads]
        case .redirects: [.namedLogins, .cache, .redirects, .reads]
        case .hedges: [.namedLogins, .cache, .hedging, .reads]
        case .writes: [.namedLogins, .cache, .outages, .retries, .expiry, .writes]
        case .queue: [.namedLogins, .queue, .outages]
        case .unnamedQueue: [.queue, .outages]
        case .unnamedLogins: [.cache, .coalescing, .reads]
        case .passwords: [.cache, .passwords]
        case .repositories: [.namedLogins, .outages, .repositories]
        case .everything: .all
        case .everythingUnnamed: .all.subtracting(.namedLogins)
        case .sequences: [.namedLogins, .cache, .outages, .expiry, .sequences]
        }
    }

    /// The events without which the simulations of this kind prove nothing.
    var expectedEvents: Set<IdentityEvent> {
        switch self {
        case .twoCredentials: [.login, .hit, .shared, .readBack]
        case .retries: [.login, .hit, .retry, .shared, .readBack]
        case .refreshes: [.login, .hit, .refresh, .adoption, .shared, .readBack]
        case .revalidations: [.login, .hit, .refresh, .retry, .background, .readBack]
        case .redirects: [.login, .hit, .redirect]
        case .hedges: [.login, .hit, .retry]
        case .writes: [.login, .write, .refresh, .retry]
        case .queue: [.login, .write, .queued, .replay, .lateReplay]
        case .unnamedQueue: [.login, .write, .queued, .replay]
        case .unnamedLogins: [.login, .hit, .shared]
        case .passwords: [.hit]
        case .repositories: [.login, .note]
        case .everything: Set(IdentityEvent.allCases)
        case .everythingUnnamed: Set(IdentityEvent.allCases).subtracting([.lateReplay])
        case .sequences: [.login, .refresh, .unauthorized]
        }
    }
}

/// What happens in a simulation of identities and is counted.
enum IdentityEvent: String, CaseIterable {
    case login
    /// The token store fetched another token for its user.
    case refresh
    /// A call that began with nobody logged in was sent as the next user who logged in.
    case adoption
    /// A response came from the cache.
    case hit
    /// A call got the response of another call's exchange.
    case shared
    /// A second attempt: after a failure, a refusal or a redirect, or beside the first.
    case retry
    /// A call followed a redirect.
    case redirect
    /// A request was sent after the end of the call that it belongs to.
    case background
    case write
    /// A call was put into the offline queue because it could not be sent.
    case queued
    /// The offline queue sent an entry.
    case replay
    /// The offline queue sent an entry of a user who had been away since.
    case lateReplay
    /// A call ended with `.unauthorized`.
    case unauthorized
    /// A repository gave an entity.
    case note
    /// A stored response was found at the end.
    case readBack
}
