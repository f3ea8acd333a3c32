import Dispatch
import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc

    /// Tests that a process that is killed while it writes into a cache leaves only whole entries.
    ///
    /// `NETKIT_LONG=1` kills 500 of them, which takes minutes.
    @Suite(.needsTheMachine(for: .seconds(1200)), .needsCacheBridge)
    struct CacheKillTests {
        private static let rounds = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1" ? 500 : 6
        private static let count = 24

        private final class Versions: Sendable {
            private let last = Atomic<Int>(0)

            func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
        }

        @Test func aWrittenFileIsCompleteOrAbsent() async throws {
            let server = try MockServer()
            let versions = Versions()
            server.on(.get, "/n/*") { request in
                let number = Int(request.path.split(separator: "/").last ?? "") ?? 0
                return .data(VersionedBody.data(number, version: versions.next())).header(
                    "Cache-Control",
                    "max-age=600"
                )
            }
            let folder = try TemporaryFolder()
            let lines = (0..<400).map { index in
                let url = server.baseURL.appending(path: "n/\(index * 7 % Self.count)").absoluteString
                return "{\"id\": \(index), \"url\": \"\(url)\", \"policy\": \"reload\"}\n"
            }
            let input = try folder.write(Data(lines.joined().utf8), to: "input")
            let cache = folder.url.appending(path: "cache")
            var random = RandomSource.seeded(11)
            var (found, round) = (0, 0)
            // On a busy machine, the first processes are killed before they write anything, which tests nothing.
            while round < Self.rounds || found <= round, round < 20 * Self.rounds {
                try await kill(after: .milliseconds(Int.random(in: 0...25, using: &random)), input: input, cache: cache)
                found += try await VersionedBody.readAll(Self.count, of: server.baseURL, in: cache, "round \(round)")
                round += 1
            }
            #expect(found > Self.rounds)
        }

        private func kill(after delay: Duration, input: URL, cache: URL) async throws {
            let bridge = try #require(BuiltCommand.cacheBridge)
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                // Starting a process blocks, and the threads of the tests are few.
                DispatchQueue.global().async {
                    let process = Process()
                    process.executableURL = bridge
                    process.arguments = ["--store", "disk", "--directory", cache.path]
                    process.standardInput = try? FileHandle(forReadingFrom: input)
                    let output = Pipe()
                    process.standardOutput = output
                    process.standardError = FileHandle.nullDevice
                    process.terminationHandler = { _ in continuation.resume() }
                    guard (try? process.runToBeKilled()) != nil else { return continuation.resume() }
                    let id = process.processIdentifier
                    // The first response shows that it is running.
                    _ = output.fileHandleForReading.availableData
                    let nanoseconds = Int(delay / .nanoseconds(1))
                    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
                        if process.isRunning { _ = Glibc.kill(id, SIGKILL) }
                    }
                }
            }
        }
    }
#endif
