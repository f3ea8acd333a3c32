public import Foundation

/// An event of an `OfflineQueue`, which concerns an entry, a lane or the store.
public struct OfflineEvent: Sendable {
    /// A kind of event; more may be added.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// A byte, where a string would be copied and compared.
        private enum Name: String {
            case enqueued
            case started
            case delivered
            case postponed
            case conflict
            case deadLettered = "dead-lettered"
            case expired
            case dropped
            case removed
            case quarantined
            case lanePaused = "lane paused"
            case laneResumed = "lane resumed"
            case waitingForIdentity = "waiting for identity"
            case storeFailed = "store failed"
        }

        private let name: Name

        /// The name of the event.
        public var description: String { name.rawValue }

        /// An entry is safe in the queue.
        public static let enqueued = Kind(name: .enqueued)
        /// An attempt begins.
        public static let started = Kind(name: .started)
        /// The server accepted the request; `response` has its response.
        public static let delivered = Kind(name: .delivered)
        /// The entry is tried again at `date`, or as soon as the network returns if no attempt was used and the server
        /// is not still carrying out an earlier one.
        public static let postponed = Kind(name: .postponed)
        /// The server holds another version; `conflict` has both.
        public static let conflict = Kind(name: .conflict)
        /// The entry was given up, and is among the dead letters.
        public static let deadLettered = Kind(name: .deadLettered)
        /// The entry expired before it could be sent; it is among the dead letters.
        public static let expired = Kind(name: .expired)
        /// The entry was removed by coalescing, because the queue was full, or because of the bounds of dead letters.
        public static let dropped = Kind(name: .dropped)
        /// The entry was removed by `remove`, `clear` or the resolution of a conflict.
        public static let removed = Kind(name: .removed)
        /// A damaged part of the store was set aside.
        public static let quarantined = Kind(name: .quarantined)
        /// A lane is paused until `date`, or until `resume`.
        public static let lanePaused = Kind(name: .lanePaused)
        /// A lane continues because this queue resumed it; a pause that ends at its `date` is not reported.
        public static let laneResumed = Kind(name: .laneResumed)
        /// The entry waits until the client has the identity under which it was made; `reason` says more.
        public static let waitingForIdentity = Kind(name: .waitingForIdentity)
        /// The store could not be written to or read; the queue tries again.
        public static let storeFailed = Kind(name: .storeFailed)
    }

    /// The kind of event.
    public let kind: Kind
    /// The identifier of the entry, if the event concerns one.
    public var id: UUID?
    /// The entry, if the event concerns one.
    public var entry: OfflineEntry?
    /// The dead letter that was removed because of the bounds of dead letters.
    public var deadLetter: DeadLetter? {
        get { ownDeadLetter?.value }
        set { ownDeadLetter = newValue.map { Box($0) } }
    }
    /// The lane, if the event concerns one.
    public var lane: String?
    /// The target of the request, with sensitive parts masked.
    public var endpoint: String?
    /// The number of failed attempts so far.
    public var retryCount = 0
    /// The reason, as a sentence.
    public var reason: String?
    /// The time until which an entry or a lane waits.
    public var date: Date?
    /// The response of the server, with a bounded body.
    public var response: NetKitError.Response? {
        get { ownResponse?.value }
        set { ownResponse = newValue.map { Box($0) } }
    }
    /// The two versions in a conflict.
    public var conflict: SyncConflict? {
        get { ownConflict?.value }
        set { ownConflict = newValue.map { Box($0) } }
    }
    /// The decision about a conflict.
    public var resolution: ConflictResolution?
    /// The part that was set aside.
    public var quarantined: QuarantinedRecord?
    /// The error of the store.
    public var error: NetKitError?

    // Most events have none of these; inside each event, they would be most of its size.
    private var ownDeadLetter: Box<DeadLetter>?
    private var ownResponse: Box<NetKitError.Response>?
    private var ownConflict: Box<SyncConflict>?

    // Not inlined: each place that makes an event would have all of this.
    @inline(never)
    init(_ kind: Kind, _ entry: OfflineEntry?, reason: String?) {
        self.kind = kind
        id = entry?.id
        self.entry = entry
        lane = entry?.lane
        retryCount = entry?.retryCount ?? 0
        self.reason = reason
    }
}

extension OfflineEvent: CustomStringConvertible {
    /// The event, the entry and the reason in one line.
    public var description: String {
        var parts = [kind.description]
        if let id { parts.append(id.uuidString) }
        if let lane { parts.append("in lane \(lane)") }
        if let reason { parts.append("(\(reason))") }
        return NetKitError.oneLine(parts.joined(separator: " "), limit: 400)
    }
}
