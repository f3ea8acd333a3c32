import Foundation
import NetKit
import NetKitTesting
import Testing

/// Sends mutated responses to a transport, one after the other, and reports how each call ended.
///
/// Each is followed by a good response to another path, which must not contain bytes that were left on the connection.
struct FuzzJudge {
    /// The number of responses in a run of the tests; `NETKIT_FUZZ=5000` sets it.
    static let count = setting("NETKIT_FUZZ") ?? 60
    /// The first seed; `NETKIT_FUZZ_SEED` sets it.
    static let seed: UInt64 = setting("NETKIT_FUZZ_SEED") ?? 1

    /// A call that hangs never ends. On a busy machine, a call ends seconds after the limit of its attempt.
    private static let hang: Duration = .seconds(60)
    /// A mutated response may never end.
    private static let limits = Timeouts(idle: .milliseconds(150), attempt: .seconds(2))

    let fuzzer: ResponseFuzzer
    let transport: any Transport

    /// Describes how a call ended, in a word or two. A failure begins with "wrong".
    func verdict(on number: Int, server: MockServer, client: HTTPClient) async -> String {
        server.on(.get, "/fuzzed", fuzzer.reply(number))
        let start = ContinuousClock.now
        var verdict = await outcome(of: "/fuzzed", client, Self.limits).verdict
        if ContinuousClock.now - start > Self.hang { verdict = "wrong: it took longer than \(Self.hang)" }
        let next = await outcome(of: "/good", client, Timeouts())
        if next.text != "good" { verdict = "wrong: the next call gave \(next.text ?? next.verdict)" }
        return verdict
    }

    /// Runs a range of numbers and reports each as soon as it is known.
    func run(_ numbers: Range<Int>, report: (Int, String) throws -> Void) async throws {
        let server = try MockServer()
        defer { server.stop() }
        server.on(.get, "/good", .text("good"))
        let client = HTTPClient(baseURL: server.baseURL, transport: transport, interceptors: [])
        for number in numbers {
            try report(number, await verdict(on: number, server: server, client: client))
        }
    }

    /// Prints how the calls ended, and fails if one ended in an invalid way.
    static func report(_ verdicts: [String: Int], over transport: String) {
        let summary = verdicts.sorted { $0.value > $1.value }.map { "\($0.value) × \($0.key)" }
        print("\(count) mutated responses from seed \(seed) over \(transport): \(summary.joined(separator: ", "))")
        #expect(verdicts.keys.filter { $0.hasPrefix("wrong") } == [])
        #expect(verdicts.values.reduce(0, +) == count)
    }

    private static func setting<Number: FixedWidthInteger>(_ name: String) -> Number? {
        ProcessInfo.processInfo.environment[name].flatMap { Number($0) }
    }

    private func outcome(
        of path: RequestPath,
        _ client: HTTPClient,
        _ timeouts: Timeouts
    ) async -> (verdict: String, text: String?) {
        do {
            let response = try await client.send(
                HTTPRequest(.get, path),
                options: CallOptions(timeouts: timeouts, delivery: .buffered(upTo: 1 << 20))
            )
            let text = response.body.buffered.map { String(decoding: $0, as: UTF8.self) }
            return ("response \(response.status.code / 100)xx", text)
        } catch let error as NetKitError {
            return ("error \(error.code)", nil)
        } catch {
            return ("wrong: \(error) was thrown", nil)
        }
    }
}
