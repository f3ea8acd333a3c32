import NetKit
import NetKitTesting
import Testing

/// A monitor with only the required members.
private struct PlainMonitor: NetworkMonitor {
    let flag = Shared(false)

    var isConnected: Bool { get async { flag.withLock { $0 } } }
    var connectionType: ConnectionType { get async { await isConnected ? .wifi : .none } }
}

@Suite(.timeLimit(.minutes(5)))
struct NetworkMonitorTests {
    @Test func twoPropertiesAreEnoughForAMonitor() async {
        let monitor = PlainMonitor()
        #expect(await monitor.status == .disconnected)
        var updates = monitor.updates.makeAsyncIterator()
        #expect(await updates.next() == .disconnected)
        monitor.flag.withLock { $0 = true }
        // It is asked once a second, on the real clock.
        #expect(await updates.next() == NetworkStatus(.connected, .wifi))
        var connections = monitor.connectionStream().makeAsyncIterator()
        #expect(await connections.next() == true)
        monitor.report(NetworkEvidence(.failed, host: "a.example"))
        #expect(await monitor.isConnected)
    }

    @Test func everyReaderGetsTheCurrentStatusThenChanges() async {
        let monitor = ManualNetworkMonitor()
        let streams = [monitor.updates, monitor.updates]
        monitor.set(isConnected: false)
        monitor.set(isConnected: false)
        monitor.set(isConnected: true, connectionType: .cellular)
        let late = monitor.updates
        monitor.stop()
        let all = [
            NetworkStatus(.connected, .ethernet, isVerified: true), .disconnected,
            NetworkStatus(.connected, .cellular, isVerified: true),
        ]
        for stream in streams { #expect(await Self.all(of: stream) == all) }
        #expect(await Self.all(of: late) == [all[2]])
        #expect(await Self.all(of: monitor.updates) == [all[2]])
        #expect(monitor.listenerCount == 0)
    }

    @Test func theConnectionStreamReportsOnlyWhetherThereIsANetwork() async {
        let monitor = ManualNetworkMonitor()
        let connections = monitor.connectionStream()
        monitor.set(isConnected: true, connectionType: .wifi)
        monitor.set(NetworkStatus(.requiresLogin, .wifi))
        monitor.set(.disconnected)
        monitor.set(isConnected: true)
        monitor.stop()
        #expect(await Self.all(of: connections) == [true, false, true])
    }

    @Test func aStoppedMonitorEndsItsStreams() async {
        var monitor: ManualNetworkMonitor? = ManualNetworkMonitor(isConnected: false)
        let streams = (monitor?.updates, monitor?.connectionStream())
        monitor = nil
        if let updates = streams.0 { #expect(await Self.all(of: updates) == [.disconnected]) }
        if let connections = streams.1 { #expect(await Self.all(of: connections) == [false]) }
    }

    @Test func connectingWithoutAKindKeepsThePreviousKind() async {
        let monitor = ManualNetworkMonitor(connectionType: .wifi)
        monitor.set(isConnected: true)
        #expect(await monitor.connectionType == .wifi)
        monitor.set(isConnected: false)
        #expect(await monitor.connectionType == ConnectionType.none)
        monitor.set(isConnected: true)
        #expect(await monitor.connectionType == .ethernet)
    }

    @Test func manyWritersGiveEveryReaderOneOrderWithoutRepetition() async {
        for _ in 0..<50 {
            let monitor = ManualNetworkMonitor(isConnected: false)
            let streams = (0..<3).map { _ in monitor.connectionStream() }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        // Fewer changes in all than a stream keeps.
                        for index in 0..<7 { monitor.set(isConnected: index % 2 == 0) }
                    }
                }
            }
            let last = await monitor.isConnected
            monitor.stop()
            let first = await Self.all(of: streams[0])
            #expect(first.first == false && first.last == last)
            #expect(zip(first, first.dropFirst()).allSatisfy { $0 != $1 })
            for stream in streams.dropFirst() { #expect(await Self.all(of: stream) == first) }
        }
    }

    @Test func readersCanComeAndGo() async {
        let monitor = ManualNetworkMonitor(isConnected: false)
        let readers = (0..<500).map { index in
            let updates = monitor.updates
            return Task {
                for await status in updates where status.isConnected {
                    if index % 2 == 0 { return 1 }
                    for await _ in monitor.connectionStream() { return 1 }
                }
                return 0
            }
        }
        #expect(monitor.listenerCount >= 500)
        monitor.set(isConnected: true)
        var heard = 0
        for reader in readers { heard += await reader.value }
        #expect(heard == 500)
        #expect(monitor.listenerCount == 0)
    }

    @Test(arguments: [
        (NetworkStatus(.connected, .ethernet, interfaceName: "eth0", isVerified: true), "connected (ethernet, eth0)"),
        (NetworkStatus(.connected, .other), "connected (other), link only"),
        (NetworkStatus(.requiresLogin, .wifi), "the network requires a login (wifi)"),
        (NetworkStatus(.unreachable, .wifi, interfaceName: "wlan0"), "no target responds (wifi, wlan0)"),
        (NetworkStatus.disconnected, "not connected"),
    ])
    func aStatusReadsAsASentence(status: NetworkStatus, text: String) {
        #expect(status.description == text)
        #expect(status.isConnected == text.hasPrefix("connected"))
    }

    private static func all<Element: Sendable>(of stream: AsyncStream<Element>) async -> [Element] {
        var heard: [Element] = []
        for await element in stream { heard.append(element) }
        return heard
    }
}
