/// A round of a read: a lookup, and an exchange if the lookup finds no response that may be used.
enum CacheRound: Equatable {
    /// The first round, before which this many shared exchanges had ended.
    case first(endedExchanges: UInt64)
    /// The round after another exchange ended during the first lookup.
    case second
    /// A round after the call that made the exchange was gone. This call may make it for all, or wait again.
    case again
    /// The round after an exchange whose result this call cannot use, so that it makes one of its own.
    case last

    /// Creates the round after the exchange of another call, or throws the error that ends both calls.
    init(after landing: CacheFlight.Landing) throws {
        switch landing {
        case .failure(let error): throw error
        case .abandoned: self = .again
        case .response, .serverFailure, .unusable: self = .last
        }
    }

    /// The number of exchanges that had ended before the lookup; `nil` if later ends are no reason for another round.
    var endedExchanges: UInt64? { if case .first(let count) = self { count } else { nil } }

    /// Whether the round counts a miss.
    ///
    /// Each call counts at most one.
    var countsMiss: Bool { self == .second || endedExchanges != nil }
}
