#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
    import Foundation
    @testable import NetKit
    import NetKitTesting
    import Testing

    /// Tests of a round of probes, with a server of its own.
    struct ProbeRoundTests {
        /// A failure of epoll is one of this machine, and no statement about the target.
        @Test func aTargetWhoseConnectionCannotBeWatchedIsUntried() throws {
            let server = try ServerSocket.bound(to: 0)
            defer { server.closeAtOnce() }
            try server.startListening()
            let now = NetKitClock.Instant(nanoseconds: 0)
            let policy = ProbePolicy([.tcp("127.0.0.1", port: server.localPort)])
            // No descriptor is negative.
            let round = ProbeRound(number: 1, policy: policy, set: -1, now: now) { _, _ in false }
            round.start(now: now)
            #expect(round.result(now: now) == .untried)
        }

        /// The first address has not answered at the end of the round, and epoll has failed for the second one.
        @Test func aTargetWithAnUntriedAddressIsUntriedAtTheEndOfTheRound() throws {
            let server = try ServerSocket.bound(to: 0)
            defer { server.closeAtOnce() }
            try server.startListening()
            let set = nk_epoll_create()
            try #require(set >= 0)
            defer { nk_close(set) }
            let now = NetKitClock.Instant(nanoseconds: 0)
            let policy = ProbePolicy([.tcp("a.example", port: server.localPort)])
            let round = ProbeRound(number: 1, policy: policy, set: set, now: now) { _, _ in true }
            round.take(.success(["127.0.0.1", "127.0.0.1"]), of: 0, now: now)
            round.start(now: now)
            // From now on, the descriptor is that of a socket, with which epoll cannot watch anything.
            try #require(dup2(server.descriptor, set) >= 0)
            let later = now.advanced(by: ProbeRound.headStart)
            round.start(now: later)
            #expect(round.result(now: later) == nil)
            #expect(round.result(now: round.deadline) == .untried)
        }
    }
#endif
