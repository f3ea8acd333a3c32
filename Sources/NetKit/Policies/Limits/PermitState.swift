/// The holders of permits and the waiting calls, for each server and in all.
///
/// A released permit is granted to the next eligible waiter in the same step.
struct PermitState<Member> {
    enum Entry: Equatable {
        case granted, waiting, refused
    }

    private struct Host {
        var running = 0
        var line = RankedHeap<Int, QueueRank, Member>()

        var isIdle: Bool { running == 0 && line.isEmpty }
    }

    /// The number of idle servers that are kept for reuse.
    private static var idleHosts: Int { 64 }

    private let maxTotal: Int
    private let maxPerHost: Int
    private let maxWaiting: Int
    private var hosts: [Origin: Host] = [:]
    /// The servers with a free permit and waiting calls, which need only a permit of the total.
    private var ready = RankedHeap<Origin, QueueRank, Void>()

    /// The number of permits in use.
    private(set) var running = 0
    /// The number of waiting calls.
    private(set) var waiting = 0

    init(maxTotal: Int, maxPerHost: Int, maxWaiting: Int) {
        self.maxTotal = maxTotal
        self.maxPerHost = maxPerHost
        self.maxWaiting = maxWaiting
    }

    /// The number of known servers.
    var hostCount: Int { hosts.count }

    /// Takes a free permit.
    ///
    /// Returns `false` if there is none.
    mutating func take(_ origin: Origin) -> Bool {
        // A waiting call could not use a free permit, so no earlier call has a claim to it.
        guard running < maxTotal else { return false }
        let isFree = Self.take(&hosts[origin, default: Host()], upTo: maxPerHost)
        if isFree { running += 1 }
        return isFree
    }

    private static func take(_ host: inout Host, upTo bound: Int) -> Bool {
        guard host.running < bound else { return false }
        host.running += 1
        return true
    }

    /// Takes a permit, or a place in line if the line is not full.
    mutating func enter(_ origin: Origin, number: Int, _ rank: QueueRank, _ member: @autoclosure () -> Member)
        -> Entry
    {
        if take(origin) { return .granted }
        guard waiting < maxWaiting else { return .refused }
        waiting += 1
        hosts[origin, default: Host()].line.insert(number, rank: rank, member())
        updateReady(origin)
        return .waiting
    }

    /// Releases a permit, and removes and returns the calls that get one now.
    mutating func giveBack(_ origin: Origin) -> [Member] {
        // The index saves a second search.
        guard let index = hosts.index(forKey: origin), hosts.values[index].running > 0 else { return [] }
        hosts.values[index].running -= 1
        running -= 1
        if waiting == 0 {
            if hosts.count > Self.idleHosts { forgetIfIdle(origin) }
            return []
        }
        updateReady(origin)
        let granted = grant()
        if hosts.count > Self.idleHosts { forgetIfIdle(origin) }
        return granted
    }

    /// Removes a call from the line; `nil` if it is no longer in the line.
    mutating func leave(_ origin: Origin, number: Int) -> Member? {
        guard let member = hosts[origin]?.line.remove(number) else { return nil }
        waiting -= 1
        updateReady(origin)
        if hosts.count > Self.idleHosts { forgetIfIdle(origin) }
        return member
    }

    private mutating func grant() -> [Member] {
        var granted: [Member] = []
        while running < maxTotal, let (origin, _) = ready.popFirst() {
            guard let (_, member) = hosts[origin]?.line.popFirst() else { continue }
            hosts[origin]?.running += 1
            running += 1
            waiting -= 1
            granted.append(member)
            updateReady(origin)
        }
        return granted
    }

    private mutating func updateReady(_ origin: Origin) {
        if let host = hosts[origin], host.running < maxPerHost, let rank = host.line.firstRank {
            ready.insert(origin, rank: rank, ())
        } else {
            ready.remove(origin)
        }
    }

    private mutating func forgetIfIdle(_ origin: Origin) {
        if hosts[origin]?.isIdle == true { hosts.removeValue(forKey: origin) }
    }
}
