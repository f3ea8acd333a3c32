import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the time limit of a download, which is one for all of its exchanges.
@Suite(.timeLimit(.minutes(5)))
struct DownloadDeadlineTests {
    enum Setting: CaseIterable, Sendable {
        case timeout, total, client, inherited
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private let rules = DownloadRules(
        retry: RetryPolicy(backoffStrategy: .fixed(interval: .seconds(4)), jitter: .none)
    )

    private func client(_ file: RangeFile, _ time: TestClock, total: Duration? = nil) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        configuration.timeouts.total = total
        return HTTPClient(
            baseURL: exampleBase,
            transport: file.transport,
            interceptors: [],
            configuration: configuration
        )
    }

    /// The rest is requested after 4 and 8 seconds. After 12 seconds it would be too late, so the call ends at once.
    @Test(arguments: Setting.allCases)
    func nothingIsRequestedAfterTheLimit(_ setting: Setting) async throws {
        let file = RangeFile(Data(count: 1000), cuts: Array(repeating: 100, count: 9))
        let limit = Duration.seconds(10)
        let time = TestClock(skipsSleeps: true)
        let (client, folder, rules) = (client(file, time, total: setting == .client ? limit : nil), folder, rules)
        var options = CallOptions()
        if setting == .timeout { options.timeout = limit }
        if setting == .total { options.timeouts = Timeouts(total: limit) }
        let (outerLimit, callOptions) = (setting == .inherited ? limit : .seconds(60), options)
        let error = await #expect(throws: NetKitError.self) {
            try await withDeadline(outerLimit, clock: time.clock) {
                try await client.download("/file", to: folder.url, rules: rules, options: callOptions)
            }
        }
        #expect(error?.code == .connectionLost)
        #expect(file.ranges == [nil, "bytes=100-", "bytes=200-"])
        #expect(try folder.names.isEmpty)
    }

    @Test func aLaterExchangeHasWhatIsLeft() async throws {
        let time = TestClock()
        let pipe = BodyPipe()
        let file = RangeFile(Data(count: 1000), cuts: [400])
        file.state.withLock { state in
            state.others = [
                nil,
                { _ in
                    let headers: HTTPHeaders = ["ETag": "\"one\"", "Content-Range": "bytes 400-999/1000"]
                    return HTTPResponse(status: 206, headers: headers, body: ResponseBody(source: pipe))
                },
            ]
        }
        let (client, folder, rules) = (client(file, time), folder, rules)
        let task = Task {
            try await client.download(
                "/file",
                to: folder.url,
                rules: rules,
                options: CallOptions(timeout: .seconds(10))
            )
        }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(4))
        await time.waitForAlarms(1)
        #expect(time.timeToNext == .seconds(6))
        time.advance(by: .seconds(10))
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.timeoutPhase == .deadline)
        #expect(error?.message.hasPrefix("The deadline of 10 s passed") == true)
        #expect(time.sleeperCount == 0)
    }
}
