import Foundation

/// The leases of a store that only one queue drains: they live as long as the process.
struct LeaseTable {
    private var leases: [UUID: OfflineLease] = [:]
    private var lastToken: UInt64 = 0

    /// Until when somebody has an entry.
    func end(of id: UUID) -> Date? { leases[id]?.until }

    mutating func lease(_ id: UUID, now: Date, until: Date) -> OfflineLease? {
        if let held = leases[id], held.until > now { return nil }
        lastToken += 1
        let lease = OfflineLease(id: id, token: lastToken, until: until)
        leases[id] = lease
        return lease
    }

    mutating func renew(_ lease: OfflineLease, until: Date) -> OfflineLease? {
        guard leases[lease.id]?.token == lease.token else { return nil }
        var renewed = lease
        renewed.until = until
        leases[lease.id] = renewed
        return renewed
    }

    /// Whether a lease was still held.
    mutating func end(_ lease: OfflineLease) -> Bool {
        guard leases[lease.id]?.token == lease.token else { return false }
        leases[lease.id] = nil
        return true
    }
}
