import Testing

@testable import NetKit

struct PlatformNetworkMonitorTests {
    @Test func aLackOfDescriptorsIsNotRemembered() async {
        let failures = Shared(2)
        let choice = MonitorChoice {
            let fails = failures.withLock { count in
                defer { count -= 1 }
                return count > 0
            }
            return fails ? nil : ManualNetworkMonitor(isConnected: false)
        }
        let early = choice.current
        #expect(await early.status == NetworkStatus(.connected, .other))
        // Readers that came early learn what the monitor knows as well.
        #expect(await early.status == .disconnected)
        #expect(await !early.isConnected)
        #expect(await early.connectionType == ConnectionType.none)
        let late = choice.current as? ManualNetworkMonitor
        #expect(late != nil && late === choice.current as? ManualNetworkMonitor)
        #expect(failures.withLock { $0 } == -1)
    }
}
