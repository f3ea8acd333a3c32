import Foundation
import NetKit
import NetKitTesting

/// The server, the client and the recorders that the steps of the tour share.
struct Tour: TourOutput {
    let folder: URL
    let server: MockServer
    let client: HTTPClient
    let metrics = MetricsCollector()
    let recorder = TourRecorder()
    let har = HARRecorder(maxBodyBytes: 10_000)
    let output: CommandOutput
    let style: TerminalStyle
    let isTerminal: Bool

    init(folder: URL, output: CommandOutput, style: TerminalStyle, isTerminal: Bool) throws {
        self.folder = folder
        self.output = output
        self.style = style
        self.isTerminal = isTerminal
        server = try TourServer.start()
        client = HTTPClient(
            baseURL: server.baseURL,
            interceptors: .standard + [CacheInterceptor(MemoryCacheStore()), metrics, har]
        )
        recorder.follow(client)
    }

    /// Returns another client of the same server, with the same metrics.
    func client(_ more: InterceptorList) -> HTTPClient {
        let client = HTTPClient(baseURL: server.baseURL, interceptors: .standard + more + [metrics, har])
        recorder.follow(client)
        return client
    }

    // MARK: - Output

    /// Writes a file to the folder of the tour, and returns its URL.
    func write(_ data: Data, to name: String) throws -> URL {
        let file = folder.appending(path: name)
        do {
            try data.write(to: file, options: .atomic)
        } catch {
            throw NetKitError.ofFile("write", file.path(percentEncoded: false), error)
        }
        return file
    }

    func title(_ text: String) {
        recorder.begin(text)
        heading(text)
    }

    /// Shows the progress of a transfer, or only its end if the output is not a terminal.
    func progress(_ progress: TransferProgress) {
        if isTerminal {
            ProgressBar().show(progress)
        } else if progress.isFinished {
            output.text(ProgressBar.line(for: progress, width: 80))
        }
    }
}

/// Records the events of clients for the timeline.
final class TourRecorder: Sendable {
    private struct State {
        var events: [ClientEvent] = []
        var steps: [TimelinePage.Step] = []
        var listeners: [Task<Void, Never>] = []
    }

    private let state = Locked(State())

    deinit {
        for listener in state.withLock({ $0.listeners }) { listener.cancel() }
    }

    func follow(_ client: HTTPClient) {
        let events = client.bufferedEvents(maxEvents: 10_000)
        let listener = Task { [weak self] in
            for await event in events { self?.add(event) }
        }
        state.withLock { $0.listeners.append(listener) }
    }

    /// Notes that a step of the tour begins now.
    func begin(_ title: String) {
        state.withLock { $0.steps.append(.init(title: title, start: NetKitClock.system.now)) }
    }

    private func add(_ event: ClientEvent) {
        state.withLock { $0.events.append(event) }
    }

    /// Stops recording and returns a page with the events.
    func page() async -> String {
        let listeners = state.withLock { $0.listeners }
        for listener in listeners {
            listener.cancel()
            await listener.value
        }
        let (events, steps) = state.withLock { ($0.events, $0.steps) }
        return TimelinePage(events, steps).html
    }
}

extension Tour {
    func numbers() async throws {
        title("8. What it took")
        await client.shutdown(within: .seconds(1))
        let counted = metrics.snapshot()
        let median = counted.percentile(0.5) ?? .zero
        text(
            "\(counted.totalRequests) calls, \(Int(counted.successRate * 100)) % succeeded, \(counted.retryCount) retries"
        )
        text("half of them within \(median.millisecondsText), refreshes \(counted.count(of: .refreshEnded))")
        let timeline = try write(Data(await recorder.page().utf8), to: "timeline.html")
        _ = try write(Data(counted.prometheusText.utf8), to: "metrics.txt")
        let recording = folder.appending(path: "tour.har")
        try await har.write(to: recording)
        success("To look at: \(timeline.path(percentEncoded: false)) in a browser, tour.har in its developer tools")
        server.stop()
    }
}
