import Dispatch
import Foundation
import NetKit
import NetKitTesting
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc

    /// A process is killed while it writes into a cache: what is there afterwards is whole, or not there.
    ///
    /// `NETKIT_LONG=1` kills 500 of them, which takes minutes.
    @Suite(.timeLimit(.minutes(20)), .needsCacheBridge)
    struct CacheKillTests {
        private static let rounds = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1" ? 500 : 12
        private static let count = 24

        private final class Versions: Sendable {
            private let last = Atomic<Int>(0)

            func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
        }

        /// A body that says which one it is, and of which every byte follows from that.
        private static func body(_ number: Int, version: Int) -> Data {
            let name = Data("\(number):\(version)\n".utf8)
            let size = number == 0 ? 1_500_000 : (number * 7919 + version * 104_729) % 300_000
            let random = RandomSource.seeded(UInt64(number * 1_000_003 + version))
            var words: [UInt64] = []
            for _ in 0..<(size / 8 + 1) { words.append(random.next()) }
            return name + words.withUnsafeBytes { Data($0.prefix(size)) }
        }

        private static func isWhole(_ data: Data) -> Bool {
            let name = String(decoding: data.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self).split(separator: ":")
            guard name.count == 2, let number = Int(name[0]), let version = Int(name[1]) else { return false }
            return data == body(number, version: version)
        }

        @Test func whatWasWrittenIsWholeOrNotThere() async throws {
            let server = try MockServer()
            let versions = Versions()
            server.on(.get, "/n/*") { request in
                let number = Int(request.path.split(separator: "/").last ?? "") ?? 0
                return .data(Self.body(number, version: versions.next())).header("Cache-Control", "max-age=600")
            }
            let folder = try TemporaryFolder()
            let lines = (0..<400).map { index in
                let url = server.baseURL.appending(path: "n/\(index * 7 % Self.count)").absoluteString
                return "{\"id\": \(index), \"url\": \"\(url)\", \"policy\": \"reload\"}\n"
            }
            let input = try folder.write(Data(lines.joined().utf8), to: "input")
            let cache = folder.url.appending(path: "cache")
            var random = RandomSource.seeded(11)
            var found = 0
            for round in 0..<Self.rounds {
                try await kill(after: .milliseconds(Int.random(in: 0...25, using: &random)), input: input, cache: cache)
                found += try await read(server.baseURL, cache, round: round)
            }
            // Otherwise nothing was tested.
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
                    guard (try? process.run()) != nil else { return continuation.resume() }
                    let id = process.processIdentifier
                    // With the first answer it is at work.
                    _ = output.fileHandleForReading.availableData
                    let nanoseconds = Int(delay / .nanoseconds(1))
                    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
                        if process.isRunning { _ = Glibc.kill(id, SIGKILL) }
                    }
                }
            }
        }

        /// Reads everything there is, and gives how much that was.
        private func read(_ base: URL, _ cache: URL, round: Int) async throws -> Int {
            let store = DiskCacheStore(directory: cache)
            let client = HTTPClient(
                baseURL: base,
                transport: MockTransport(),
                interceptors: [CacheInterceptor(store, policy: .cacheOnly)]
            )
            var found = 0
            for number in 0..<Self.count {
                do {
                    let response = try await client.send(HTTPRequest(.get, "/n/\(number)"))
                    let data = try await response.body.collect(upTo: 4 << 20)
                    #expect(Self.isWhole(data), "round \(round), entry \(number)")
                    found += 1
                } catch NetKitError.Code.cacheMiss {
                    continue
                }
            }
            let leftovers = try FileManager.default.contentsOfDirectory(atPath: cache.path).filter {
                $0.hasPrefix("tmp-")
            }
            #expect(leftovers.isEmpty)
            return found
        }
    }
#endif
