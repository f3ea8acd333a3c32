#if os(Linux)
    import Foundation
    @testable import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Tests of the Linux monitor with real sockets and the machine's own links.
    @Suite(.needsTheMachine)
    struct LinuxNetworkMonitorTests {
        private static func policy(_ targets: [ProbeTarget], quorum: Int = 1) -> ProbePolicy {
            ProbePolicy(targets, quorum: quorum, interval: .milliseconds(20), timeout: .seconds(60))
        }

        private static func target(_ server: MockServer) -> ProbeTarget {
            .tcp("127.0.0.1", port: server.port)
        }

        /// Reads until a condition holds, and returns false if the monitor ends before.
        @discardableResult
        private func wait(
            _ monitor: some NetworkMonitor,
            for condition: NetworkStatus.Condition
        ) async -> NetworkStatus? {
            for await status in monitor.updates where status.condition == condition && status.isVerified {
                return status
            }
            return nil
        }

        @Test func aServerThatTakesConnectionsIsReached() async throws {
            let server = try MockServer()
            let monitor = LinuxNetworkMonitor(probes: Self.policy([Self.target(server)]))
            #expect(await monitor.isConnected)
            await wait(monitor, for: .connected)
            try server.refuseConnections()
            await wait(monitor, for: .unreachable)
            #expect(await !monitor.isConnected)
            try server.acceptConnections()
            await wait(monitor, for: .connected)
        }

        @Test(arguments: [(1, true), (2, false)])
        func theQuorumDecides(quorum: Int, isReached: Bool) async throws {
            let (up, down) = (try MockServer(), try MockServer())
            try down.refuseConnections()
            let policy = Self.policy([Self.target(up), Self.target(down)], quorum: quorum)
            let monitor = LinuxNetworkMonitor(probes: policy)
            #expect(await wait(monitor, for: isReached ? .connected : .unreachable) != nil)
        }

        @Test func aCaptivePortalIsToldApart() async throws {
            let server = try MockServer()
            server.on(
                .get,
                "/check",
                .redirect(to: "http://portal.example/login"),
                .redirect(to: "http://portal.example/login"),
                .status(.noContent)
            )
            let target = try #require(ProbeTarget(http: server.url("/check")))
            let monitor = LinuxNetworkMonitor(probes: Self.policy([target]))
            await wait(monitor, for: .requiresLogin)
            await wait(monitor, for: .connected)
        }

        @Test func aServerThatStaysSilentIsNotReached() async throws {
            let silent = try ServerSocket.bound(to: 0)
            try silent.startListening()
            defer { silent.closeAtOnce() }
            let url = try #require(URL(string: "http://127.0.0.1:\(silent.localPort)/"))
            let target = try #require(ProbeTarget(http: url))
            let monitor = LinuxNetworkMonitor(probes: ProbePolicy([target], timeout: .milliseconds(50)))
            #expect(await wait(monitor, for: .unreachable) != nil)
        }

        @Test func namesAreLookedUp() async throws {
            let server = try MockServer()
            let byName = LinuxNetworkMonitor(probes: Self.policy([.tcp("localhost", port: server.port)]))
            #expect(await wait(byName, for: .connected) != nil)
            // The longest possible name, and one that is longer: no resolver asks a server for it.
            let name = String(repeating: "x", count: 64) + ".invalid"
            let unknown = LinuxNetworkMonitor(probes: Self.policy([.tcp(name, port: 1)]))
            #expect(await wait(unknown, for: .unreachable) != nil)
        }

        @Test func theClientsOwnTrafficCounts() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok").closing(at: .end))
            // No round is due by itself for an hour.
            let probes = ProbePolicy([Self.target(server)], interval: .seconds(3600), timeout: .seconds(20))
            let monitor = LinuxNetworkMonitor(probes: probes)
            let client = HTTPClient(baseURL: server.baseURL, interceptors: [NetworkEvidenceInterceptor(monitor)])
            await wait(monitor, for: .connected)
            try server.refuseConnections()
            _ = try? await client.send(HTTPRequest(.get, "/"))
            await wait(monitor, for: .unreachable)
            try server.acceptConnections()
            #expect(try await client.send(HTTPRequest(.get, "/")).status == .ok)
            #expect(await wait(monitor, for: .connected) != nil)
        }

        @Test func filesAndKernelSayTheSameOfTheLinks() async {
            let told = LinuxNetworkMonitor(probes: ProbePolicy(), asksKernel: true)
            let read = LinuxNetworkMonitor(probes: ProbePolicy(), asksKernel: false)
            let (first, second) = (await told.status, await read.status)
            #expect(first.isConnected == second.isConnected)
            #expect(first.interfaceName == second.interfaceName)
            #expect(first.connectionType == second.connectionType)
            #expect(!first.isVerified)
        }

        @Test func theBaseURLsServerIsTheTarget() {
            let monitor = LinuxNetworkMonitor(probing: URL(string: "https://api.example.com/v1"))
            #expect(monitor.probes.targets == [.tcp("api.example.com", port: 443)])
            #expect(LinuxNetworkMonitor(probing: HTTPClient().baseURL).probes.targets == [])
        }

        @Test func stoppingEndsEveryStreamAndKeepsTheStatus() async throws {
            let server = try MockServer()
            let monitor = LinuxNetworkMonitor(probes: Self.policy([Self.target(server)]))
            await wait(monitor, for: .connected)
            let reading = Task { for await _ in monitor.updates {} }
            let connections = Task { for await _ in monitor.connectionStream() {} }
            monitor.stop()
            monitor.stop()
            await reading.value
            await connections.value
            #expect(await monitor.status.isVerified)
            monitor.report(NetworkEvidence(.failed, host: "127.0.0.1"))
            for await status in monitor.updates { #expect(status.isConnected) }
        }

        @Test func aMonitorThatIsDroppedAtOnceEndsItsReaders() async {
            for _ in 0..<50 {
                let updates = LinuxNetworkMonitor(probes: Self.policy([.tcp("127.0.0.1", port: 9)])).updates
                for await _ in updates {}
            }
        }

        /// In a process of its own, so that all threads and descriptors belong to the test.
        @Test(.inAProcessOfItsOwn) func aMonitorThatIsDroppedLeavesNothing() async {
            await #expect(processExitsWith: .success) {
                // The time limit of the suite does not apply here, and a monitor that went on would probe without end.
                alarm(50)
                let server = try MockServer()
                let inherited = OwnDescriptors.inherited()
                let before = try OwnProcess.counts(of: "netkit.monitor")
                guard before.loops == 0 else { exit(2) }
                for round in 0..<20 {
                    let targets = (0..<8).map { _ in ProbeTarget.tcp("127.0.0.1", port: server.port) }
                    let policy = ProbePolicy(targets, quorum: 8, interval: .milliseconds(10))
                    var monitor: LinuxNetworkMonitor? = LinuxNetworkMonitor(probes: policy)
                    if let updates = monitor?.updates {
                        for await status in updates where status.isVerified { break }
                    }
                    let running = try OwnProcess.counts(of: "netkit.monitor").loops
                    guard running >= 1 else { exit(3) }
                    // The runtime reads files of the process now and then, and lets them be inherited.
                    let leaked = OwnDescriptors.inherited().filter {
                        inherited[$0.key]?.isSameFile(as: $0.value) != true && !$0.value.target.hasPrefix("/")
                            && $0.value.target != "gone"
                    }
                    guard leaked.isEmpty else { exit(4) }
                    if round % 2 == 0 { monitor?.stop() }
                    monitor = nil
                }
                await server.waitForOpenConnections(0)
                // Waiting gives the runtime a timer or two to keep. A leaking monitor leaves at least twenty.
                let limit = before.descriptors + 4
                let after = try await OwnProcess.settled(of: "netkit.monitor") {
                    $0.loops == 0 && $0.descriptors <= limit
                }
                #expect(after.loops == 0 && after.descriptors <= limit)
            }
        }

        #if canImport(Glibc)
            /// The limit of descriptors is set for a whole process, so the test has one of its own.
            @Test(.inAProcessOfItsOwn) func aMonitorNeedsDescriptorsToRun() async {
                await #expect(processExitsWith: .success) {
                    var limit = rlimit()
                    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    var none = limit
                    none.rlim_cur = 3
                    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
                    let runsWithout = LinuxNetworkMonitor().isRunning
                    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    exit(!runsWithout && LinuxNetworkMonitor().isRunning ? EXIT_SUCCESS : EXIT_FAILURE)
                }
            }

            /// Nothing has been sent to the target, so the probe says nothing about it.
            @Test(.inAProcessOfItsOwn) func aTargetForWhichThereIsNoDescriptorIsUntried() async {
                await #expect(processExitsWith: .success) {
                    var limit = rlimit()
                    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    limit.rlim_cur = 3
                    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    let now = NetKitClock.Instant(nanoseconds: 0)
                    let policy = ProbePolicy([.tcp("127.0.0.1", port: 9)])
                    let round = ProbeRound(number: 1, policy: policy, set: -1, now: now) { _, _ in false }
                    round.start(now: now)
                    exit(round.result(now: now) == .untried ? EXIT_SUCCESS : EXIT_FAILURE)
                }
            }
        #endif

        @Test func thePlatformsMonitorKnowsTheLinkWithoutProbing() async {
            func status(of monitor: any NetworkMonitor) async -> NetworkStatus { await monitor.status }
            #expect(await status(of: .platformDefault) == PlatformNetworkMonitor.platformDefault.status)
            #expect(await !status(of: .platformDefault).isVerified)
        }
    }
#endif
