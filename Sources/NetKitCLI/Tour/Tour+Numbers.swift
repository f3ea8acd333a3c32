import Foundation
import NetKit
import NetKitTesting

extension Tour {
    func numbers() async throws {
        title("8. What it took")
        await client.shutdown(within: .seconds(1))
        let counted = metrics.snapshot()
        let median = counted.percentile(0.5) ?? .zero
        say(
            "\(counted.totalRequests) calls, \(Int(counted.successRate * 100)) % succeeded, \(counted.retryCount) retries"
        )
        say("half of them within \(median.millisecondsText), refreshes \(counted.count(of: .refreshEnded))")
        let timeline = folder.appending(path: "timeline.html")
        try await recorder.page().write(to: timeline, atomically: true, encoding: .utf8)
        let text = folder.appending(path: "metrics.txt")
        try counted.prometheusText.write(to: text, atomically: true, encoding: .utf8)
        let recording = folder.appending(path: "tour.har")
        try await har.write(to: recording)
        good("To look at: \(timeline.path(percentEncoded: false)) in a browser, tour.har in its developer tools")
        server.stop()
    }
}
