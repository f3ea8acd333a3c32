import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of several processes that share a token in a file, with a server that accepts each refresh token once.
@Suite(.needsTheMachine, .needsTokenProbe)
struct FileTokenVaultProcessTests {
    private func run(_ file: URL, _ server: ShortTokenServer, milliseconds: Int) async throws -> BuiltCommand.Result {
        let probe = try #require(BuiltCommand.tokenProbe)
        let arguments = [file.path(percentEncoded: false), server.address, "100", "\(milliseconds)"]
        return try await BuiltCommand.run(probe, arguments)
    }

    @Test func eightProcessesRefreshOnceForEachExpiry() async throws {
        let (folder, life) = (try TemporaryFolder(), Duration.milliseconds(400))
        let server = try ShortTokenServer(life: life)
        let results = try await withThrowingTaskGroup(of: BuiltCommand.Result.self) { group in
            for _ in 0..<8 {
                group.addTask { try await run(folder.file("login/token.json"), server, milliseconds: 6_000) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let report = server.report
        #expect(report.complaints == [])
        #expect(report.number >= 5)
        // No token was replaced before its end.
        for (earlier, later) in zip(report.times, report.times.dropFirst()) {
            #expect(later - earlier >= life - .milliseconds(5))
        }
        for result in results {
            #expect(result.status == 0)
            #expect(!result.output.contains("ERROR"), "\(result.output.prefix(400))")
            #expect(result.output.contains("TOKENS "))
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the reason, if the program was not built.
    static var needsTokenProbe: ConditionTrait {
        .enabled(if: BuiltCommand.tokenProbe != nil, "the program NetKitTokenProbe is not beside the tests")
    }
}
