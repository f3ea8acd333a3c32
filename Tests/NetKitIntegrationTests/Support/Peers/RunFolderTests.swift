import Foundation
import NetKitTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite(.needsTheMachine)
struct RunFolderTests {
    @Test
    func goesWithItsProcess() async throws {
        let folder = try RunFolder { folder in ["/bin/sh", "-c", "echo $$ >\(folder.path())/pid; exec sleep 60"] }
        let file = folder.url.appending(path: "pid")
        try await wait { ((try? String(contentsOf: file, encoding: .utf8)) ?? "").hasSuffix("\n") }
        let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
        let process = try #require(pid_t(text))
        #expect(kill(process, 0) == 0)
        await folder.remove()
        #expect(kill(process, 0) != 0)
        #expect(!FileManager.default.fileExists(atPath: folder.url.path()))
    }

    @Test
    func goesWithoutBeingTold() async throws {
        let path: String
        do {
            let folder = try RunFolder()
            path = folder.url.path()
            #expect(FileManager.default.fileExists(atPath: path))
        }
        try await wait { !FileManager.default.fileExists(atPath: path) }
    }

    @Test
    func hasWhatTheProcessPrints() async throws {
        let folder = try RunFolder { _ in ["/bin/sh", "-c", "echo one; echo two >&2"] }
        try await wait { folder.output == "one\ntwo\n" }
        await folder.remove()
    }

    /// Waits for what another process does.
    private func wait(until condition: () -> Bool) async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(60)
        while !condition() {
            try #require(clock.now < deadline)
            try await clock.sleep(for: .milliseconds(2))
        }
    }
}
