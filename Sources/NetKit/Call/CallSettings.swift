import Foundation

/// What the calls of a client have in common, behind one pointer: each would keep its own copy of all of it otherwise.
final class CallSettings: Sendable {
    /// What counts where nobody says anything.
    static let standard = CallSettings()

    let clock: NetKitClock
    let random: RandomSource
    let redaction: Redaction
    let addressGuard: AddressGuard?
    let json: JSONCoder
    let baseURL: URL?
    let baseOrigin: OriginMatcher?

    /// Collects them; what is not named has its default.
    init(
        clock: NetKitClock = .system,
        random: RandomSource = .system,
        redaction: Redaction = .standard,
        addressGuard: AddressGuard? = nil,
        json: JSONCoder = .standard,
        baseURL: URL? = nil,
        baseOrigin: OriginMatcher? = nil
    ) {
        self.clock = clock
        self.random = random
        self.redaction = redaction
        self.addressGuard = addressGuard
        self.json = json
        self.baseURL = baseURL
        self.baseOrigin = baseOrigin
    }
}
