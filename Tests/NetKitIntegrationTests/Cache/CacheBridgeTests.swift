import Dispatch
import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of the program that lets suites test the cache, with a real server.
@Suite(.needsTheMachine, .needsCacheBridge)
struct CacheBridgeTests {
    private struct Response: Decodable {
        let id: Int?
        let status: Int?
        let headers: [[String]]?
        let body: String?
        let error: String?
    }

    /// Sends lines, and returns the responses in the order of their ids.
    private func exchange(_ lines: [String], _ arguments: String...) async throws -> [Response] {
        let folder = try TemporaryFolder()
        let input = try folder.write(Data(lines.map { $0 + "\n" }.joined().utf8), to: "input")
        let output = try folder.write(Data(), to: "output")
        let bridge = try #require(BuiltCommand.cacheBridge)
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            // Starting a process blocks, and the threads of the tests are few.
            DispatchQueue.global().async {
                do {
                    let process = Process()
                    process.executableURL = bridge
                    process.arguments = arguments
                    process.standardInput = try FileHandle(forReadingFrom: input)
                    process.standardOutput = try FileHandle(forWritingTo: output)
                    process.standardError = FileHandle.nullDevice
                    process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                    try process.runAlone()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(status == (arguments.contains("--nonsense") ? 2 : 0))
        return try Data(contentsOf: output).split(separator: UInt8(ascii: "\n"))
            .map { try JSONDecoder().decode(Response.self, from: $0) }
            .sorted { ($0.id ?? 0) < ($1.id ?? 0) }
    }

    private func line(_ id: Int, _ url: URL, _ rest: String = "") -> String {
        "{\"id\": \(id), \"url\": \"\(url.absoluteString)\"\(rest)}"
    }

    @Test(arguments: ["default", "urlsession"])
    func respondsThroughACacheThatLasts(transport: String) async throws {
        let server = try MockServer()
        server.on(.get, "/x", .text("hello").header("Cache-Control", "max-age=600").header("Set-Cookie", "a=1"))
        let url = server.baseURL.appending(path: "x")
        let folder = try TemporaryFolder()
        let disk = ["--store", "disk", "--directory", folder.url.path, "--transport", transport]
        for round in 0..<2 {
            let responses = try await exchange(
                [line(1, url, ", \"headers\": [[\"X-A\", \"1\"]]")],
                disk[0],
                disk[1],
                disk[2],
                disk[3],
                disk[4],
                disk[5]
            )
            #expect(responses.first?.status == 200 && responses.first?.body == "hello")
            let names = responses.first?.headers?.compactMap(\.first) ?? []
            #expect(names.contains("Age") == (round == 1))
        }
        #expect(server.requests.count == 1)
        #expect(server.requests.first?.headers["X-A"] == "1")
    }

    @Test func saysWhatIsWrong() async throws {
        let server = try MockServer()
        server.on(.post, "/x", .text("made"))
        let url = server.baseURL.appending(path: "x")
        let responses = try await exchange([
            line(1, url, ", \"policy\": \"cacheOnly\""), "{\"id\": 2}", "no json",
            line(4, url, ", \"method\": \"POST\", \"body\": \"text\""), line(5, url, ", \"policy\": \"other\""),
        ])
        #expect(responses.count == 5)
        #expect(responses.first { $0.id == 1 }?.error?.hasPrefix("cacheMiss") == true)
        #expect(responses.first { $0.id == 2 }?.error?.contains("url") == true)
        #expect(responses.contains { $0.id == nil && $0.error != nil })
        #expect(responses.first { $0.id == 4 }?.body == "made")
        #expect(responses.first { $0.id == 5 }?.error?.contains("policy") == true)
        #expect(server.requests.count == 1)
        #expect(try await exchange([], "--nonsense", "x").isEmpty)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the reason, if the program was not built.
    static var needsCacheBridge: ConditionTrait {
        .enabled(if: BuiltCommand.cacheBridge != nil, "the program NetKitCacheBridge is not beside the tests")
    }
}
