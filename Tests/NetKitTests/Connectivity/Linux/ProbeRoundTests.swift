#if canImport(Glibc) || canImport(Musl)
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
    }
#endif
