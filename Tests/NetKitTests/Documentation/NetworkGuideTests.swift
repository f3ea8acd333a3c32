import Foundation
import NetKit
import NetKitTestSupport
import Testing

/// The code on the page "The network monitor", compiled and run, and its figures.
@Suite(.needsTheMachine)
struct NetworkGuideTests {
    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Network-Monitor").shows(#filePath))
    }

    @Test func theFiguresAreTheDefaults() throws {
        let page = try GuidePage("Network-Monitor").text
        let policy = ProbePolicy()
        #expect(policy.interval == .seconds(15) && policy.timeout == .seconds(3) && policy.quorum == 1)
        #expect(page.contains("every 15 seconds and waits at most 3 seconds for each round"))
        #expect(policy.failuresToDisconnect == 2 && policy.successesToConnect == 1)
        #expect(page.contains("lost after two rounds in a row without a response"))
        #expect(page.contains("back after one round with a response"))
    }

    @Test func aTestSwitchesTheNetworkAsShown() async throws {
        // GUIDE: begin
        let monitor = ManualNetworkMonitor(isConnected: false)
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: MockTransport(),
            interceptors: [ConnectivityInterceptor(monitor, .failFast)]
        )
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/users")) }
        #expect(error?.code == .offline)
        monitor.set(isConnected: true)
        // GUIDE: end
        #expect(await monitor.isConnected)
    }

    #if os(Linux)
        @Test func aMonitorAsksTheServerOfTheBaseURL() async {
            func watch(_ base: URL?) async {
                // GUIDE: begin
                let monitor = LinuxNetworkMonitor(probing: base)
                let client = HTTPClient(
                    baseURL: base,
                    interceptors: .standard + [ConnectivityInterceptor(monitor, .wait(upTo: .seconds(30)))]
                )
                for await status in monitor.updates { print(status) }
                // GUIDE: end
                #expect(client.warnings == [])
            }
            // Without a server, there is nothing to probe.
            let watching = Task { await watch(nil) }
            watching.cancel()
            await watching.value
        }

        @Test func severalTargetsHaveAQuorum() {
            func make() -> LinuxNetworkMonitor {
                // GUIDE: begin
                let probes = ProbePolicy(
                    [.tcp("api.example.com", port: 443), .tcp("db.internal", port: 5432), .tcp("10.0.0.2", port: 53)],
                    quorum: 2,
                    interval: .seconds(30),
                    failuresToDisconnect: 3
                )
                let monitor = LinuxNetworkMonitor(probes: probes)
                // GUIDE: end
                return monitor
            }
            // Created elsewhere, so nothing is probed here.
            _ = make
        }

        @Test func aPageTellsCaptivePortalsApart() throws {
            // GUIDE: begin
            let page = ProbeTarget(http: URL(string: "http://api.example.com/online"), expecting: 204)
            // GUIDE: end
            #expect(page?.description == "http://api.example.com:80/online -> 204")
        }
    #endif
}
