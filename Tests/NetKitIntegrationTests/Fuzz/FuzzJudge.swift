import Foundation
import NetKit
import NetKitTesting

/// Puts mutated answers to a transport, one after the other, and says how each call ended.
///
/// Behind each stands a good answer to another path: whatever was left on the connection must not become part of it.
struct FuzzJudge {
    let fuzzer: AnswerFuzzer
    let transport: any Transport

    /// How a call ended, in a word or two; what must not be begins with "wrong".
    func verdict(on number: Int, server: MockServer, client: HTTPClient) async -> String {
        server.on(.get, "/fuzzed", fuzzer.reply(number))
        let start = ContinuousClock.now
        var verdict = await outcome(of: "/fuzzed", client).verdict
        if ContinuousClock.now - start > .seconds(3) { verdict = "wrong: it took longer than 3 seconds" }
        let next = await outcome(of: "/good", client)
        if next.text != "good" { verdict = "wrong: the next call gave \(next.text ?? next.verdict)" }
        return verdict
    }

    /// Judges a range of numbers and reports each as soon as it is known.
    func run(_ numbers: Range<Int>, report: (Int, String) throws -> Void) async throws {
        let server = try MockServer()
        defer { server.stop() }
        server.on(.get, "/good", .text("good"))
        var configuration = HTTPClient.Configuration()
        configuration.timeouts = Timeouts(idle: .milliseconds(150), attempt: .seconds(2))
        let client = HTTPClient(
            baseURL: server.baseURL,
            transport: transport,
            interceptors: [],
            configuration: configuration
        )
        for number in numbers {
            try report(number, await verdict(on: number, server: server, client: client))
        }
    }

    private func outcome(of path: RequestPath, _ client: HTTPClient) async -> (verdict: String, text: String?) {
        do {
            let response = try await client.send(
                HTTPRequest(.get, path),
                options: CallOptions(delivery: .buffered(upTo: 1 << 20))
            )
            let text = response.body.buffered.map { String(decoding: $0, as: UTF8.self) }
            return ("answer \(response.status.code / 100)xx", text)
        } catch let error as NetKitError {
            return ("error \(error.code)", nil)
        } catch {
            return ("wrong: \(error) was thrown", nil)
        }
    }
}
