import Foundation
import NetKit
import NetKitTesting

/// What the steps of the tour share: a server, a client, and what is written down on the way.
struct Tour {
    let folder: URL
    let server: MockServer
    let client: HTTPClient
    let metrics = MetricsCollector()
    let recorder = TourRecorder()
    let har = HARRecorder(bodyLimit: 10_000)
    private let output: CommandOutput
    private let style: TerminalStyle
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

    /// A client of the same server, which counts into the same metrics.
    func client(_ more: InterceptorList) -> HTTPClient {
        let client = HTTPClient(baseURL: server.baseURL, interceptors: .standard + more + [metrics, har])
        recorder.follow(client)
        return client
    }

    // MARK: - What is shown

    func title(_ text: String) {
        output.text("\n" + style(text, .cyan))
    }

    func say(_ text: String) {
        output.text("  " + text)
    }

    func good(_ text: String) {
        output.text("  " + style(text, .green))
    }

    func bad(_ text: String) {
        output.text("  " + style(text, .yellow))
    }

    /// Shows how far a transfer is: over and over on a terminal, and only its end elsewhere.
    func progress(_ progress: TransferProgress) {
        if isTerminal {
            ProgressBar().show(progress)
        } else if progress.isFinished {
            output.text(ProgressBar.line(for: progress, width: 80))
        }
    }
}
