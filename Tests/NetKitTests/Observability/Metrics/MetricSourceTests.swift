import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MetricSourceTests {
    private final class Source: MetricSource {
        let samples: [MetricSample]

        init(_ samples: [MetricSample]) { self.samples = samples }

        func metricSamples() async -> [MetricSample] { samples }
    }

    private let metrics = MetricsCollector()

    private func lines(_ prefix: String) async -> [String] {
        await metrics.collect().prometheusText.split(separator: "\n").map(String.init).filter { $0.contains(prefix) }
    }

    @Test func valuesOfSeveralSourcesStandTogether() async {
        let first = Source([
            MetricSample("shop_depth", .gauge, "Depth\nof it.", labels: ["state": "a\"b"], value: 3),
            MetricSample("shop_sent_total", .counter, "Sent.", value: 7),
            MetricSample("shop_depth", .gauge, "Depth.", labels: ["state": "c"], value: 0.5),
        ])
        let second = Source([MetricSample("shop_depth", .gauge, "Depth.", value: .infinity)])
        metrics.add(first, labels: ["queue": "one"])
        metrics.add(second, labels: ["queue": "two"])
        #expect(
            await lines("shop_") == [
                "# HELP shop_depth Depth of it.", "# TYPE shop_depth gauge",
                #"shop_depth{queue="one",state="a\"b"} 3"#, #"shop_depth{queue="one",state="c"} 0.5"#,
                #"shop_depth{queue="two"} +Inf"#, "# HELP shop_sent_total Sent.", "# TYPE shop_sent_total counter",
                #"shop_sent_total{queue="one"} 7"#,
            ]
        )
        #expect(metrics.snapshot().samples.isEmpty)
        withExtendedLifetime((first, second)) {}
    }

    @Test func namesThatTheFormatDoesNotAllowAreChanged() async {
        let source = Source([
            MetricSample("7 days", .gauge, "A.", labels: ["lane-class": "x", "queue": "own"], value: 1),
            MetricSample("7_days", .gauge, "A.", labels: ["lane-class": "x", "queue": "own"], value: 2),
        ])
        metrics.add(source, labels: ["queue": "added"])
        #expect(await lines("7_days{") == [#"_7_days{lane_class="x",queue="own"} 1"#])
        withExtendedLifetime(source) {}
    }

    @Test func labelsThatBecomeTheSameAreOne() async {
        let source = Source([
            MetricSample("shop_a", .gauge, #"A \ b."#, labels: ["a-b": "1", "a_b": "2"], value: 1),
            MetricSample("shop_a", .gauge, "A.", labels: ["a.b": "1"], value: 2),
            MetricSample("shop_a", .gauge, "A.", labels: ["a.b": "3"], value: 3),
        ])
        metrics.add(source)
        #expect(
            await lines("shop_a") == [
                #"# HELP shop_a A \\ b."#, "# TYPE shop_a gauge", #"shop_a{a_b="1"} 1"#, #"shop_a{a_b="3"} 3"#,
            ]
        )
        withExtendedLifetime(source) {}
    }

    @Test func aMetricOfNetKitIsNotRepeated() async {
        let name = "netkit_client_active_calls"
        let source = Source([MetricSample(name, .counter, "Mine.", value: 7)])
        metrics.add(source)
        #expect(await lines(name) == ["# HELP \(name) Calls in flight.", "# TYPE \(name) gauge", "\(name) 0"])
        withExtendedLifetime(source) {}
    }

    @Test func theMetricsOfASourceEndWithIt() async {
        var source: Source? = Source([MetricSample("shop_depth", .gauge, "Depth.", value: 1)])
        if let source { metrics.add(source) }
        #expect(await metrics.collect().samples.count == 1)
        source = nil
        #expect(await metrics.collect().samples.isEmpty)
    }

    @Test func aQueueReportsItsEntries() async throws {
        let queue = try await OfflineQueue(store: InMemoryOfflineStore())
        try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/orders", body: .text("abc"))))
        metrics.add(queue, labels: ["queue": "orders"])
        let lines = await lines("netkit_queue_")
        #expect(lines.contains(#"netkit_queue_entries{queue="orders",state="waiting"} 1"#))
        #expect(lines.contains(#"netkit_queue_entries{queue="orders",state="dead"} 0"#))
        #expect(lines.contains(#"netkit_queue_active_entries{queue="orders"} 0"#))
        #expect(lines.count { $0.hasPrefix("# TYPE netkit_queue_bytes gauge") } == 1)
        await queue.close()
    }

    @Test func aQueueReportsWhatKeepsItFromSending() async throws {
        let (monitor, store) = (ManualNetworkMonitor(isConnected: true), InterruptedStore())
        let queue = try await OfflineQueue.testing(nil, monitor: monitor, store: store)
        metrics.add(queue)
        let names = ["connected", "identity_entries", "paused_lanes", "store_problem"]
        func values() async -> [String] {
            let lines = await lines("netkit_queue_")
            return names.map { name in lines.last { $0.hasPrefix("netkit_queue_\(name) ") } ?? "" }
        }
        #expect(
            await values() == [
                "netkit_queue_connected 1", "netkit_queue_identity_entries 0", "netkit_queue_paused_lanes 0",
                "netkit_queue_store_problem 0",
            ]
        )
        let events = queue.events
        await queue.pause(lane: "orders")
        monitor.set(isConnected: false)
        store.tell(.problem(NetKitError(.file, "The disk is full.")))
        _ = await events.first(.storeFailed)
        #expect(try await holdsSoon { await values().first == "netkit_queue_connected 0" })
        #expect(await values().suffix(2) == ["netkit_queue_paused_lanes 1", "netkit_queue_store_problem 1"])
        await queue.close()
    }
}
