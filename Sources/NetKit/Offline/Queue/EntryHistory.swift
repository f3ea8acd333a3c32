import Foundation

/// The notes about entries that count from one attempt to the next.
///
/// Most entries of a long queue have had no attempt, and therefore have no record. Whether an entry was reported as
/// waiting for its identity is noted apart from the records, because that may apply to all entries.
struct EntryHistory: ~Copyable {
    struct Record: Equatable {
        /// The number of consecutive postponements that cost no attempt.
        var deferrals = 0
        /// The number of consecutive times that the store could not read the entry or note its attempt.
        var failedReads = 0
        /// The number of consecutive refusals because of an identity that the client had again at once, or of a
        /// credential that was renewed during the attempt.
        var instantRefusals = 0
        /// Whether the latest attempt had a response with the status 409.
        ///
        /// If that attempt was postponed without a cost, the server is still carrying out an earlier one.
        var isBusyResponse = false
        /// The number of further responses with the status 409 that may mean that the server is still carrying out an
        /// earlier attempt.
        private var remainingBusyResponses = 0

        /// Whether the entry may be tried again at once, although it was refused.
        var mayTryAtOnce: Bool { instantRefusals < 3 }

        /// Whether the server may still be carrying out an earlier attempt with the same key.
        var mayBeInProgress: Bool { remainingBusyResponses > 0 }

        /// Whether the latest attempt was postponed without a cost for a reason that may end when the network returns.
        var mayWaitForNetwork: Bool { deferrals > 0 && !isBusyResponse }

        /// Notes the status of the response to a request that may have arrived; `nil` if there was none, or if it is
        /// unknown.
        ///
        /// An unknown status, such as that of a response for which an interceptor threw its own error, may be that of a
        /// gateway.
        mutating func noteResponse(_ status: HTTPStatus?) {
            switch status?.code {
            // A gateway gives up before the server behind it.
            case nil, 502?, 504?: remainingBusyResponses = 5
            case 409?: remainingBusyResponses = max(0, remainingBusyResponses - 1)
            // Another response, such as a refusal of a busy server, says nothing about earlier attempts.
            default: break
            }
        }

        /// Notes that the next attempt has another key, with which the server has seen no request.
        mutating func noteNewKey() { remainingBusyResponses = 0 }

        /// Notes that the attempts start again.
        mutating func startAgain() { (deferrals, failedReads) = (0, 0) }
    }

    private var records: [UUID: Record] = [:]
    /// The reasons why entries cannot be read now.
    private var problems: [UUID: NetKitError] = [:]
    private var announced: Set<UUID> = []

    // Not inlined: each change of one note searches the record, compares it and stores it again.
    subscript(id: UUID) -> Record {
        @inline(never) get { records[id] ?? Record() }
        @inline(never) set { records[id] = newValue == Record() ? nil : newValue }
    }

    /// The reason why some entry cannot be read now.
    var problem: NetKitError? { problems.first?.value }

    /// Notes whether an entry can be read now.
    mutating func note(_ problem: NetKitError?, of id: UUID) { problems[id] = problem }

    /// Notes that no attempt of an entry follows unless a person wants one.
    mutating func end(_ id: UUID) {
        self[id].startAgain()
        problems[id] = nil
    }

    /// The entries that are due when the network returns.
    var waitingForNetwork: [UUID] { records.filter { $0.value.mayWaitForNetwork }.map(\.key) }

    /// Notes that the wait of an entry for its identity is reported, and returns whether that is new.
    mutating func announce(_ id: UUID) -> Bool { announced.insert(id).inserted }

    /// Notes that the client had the identity of an entry.
    mutating func endAnnouncement(of id: UUID) {
        if !announced.isEmpty { announced.remove(id) }
    }

    mutating func forget(_ id: UUID) {
        records[id] = nil
        problems[id] = nil
        endAnnouncement(of: id)
    }

    mutating func forget(where isGone: (UUID) -> Bool) {
        for id in records.keys.filter(isGone) { records[id] = nil }
        for id in problems.keys.filter(isGone) { problems[id] = nil }
        announced.subtract(announced.filter(isGone))
    }
}
