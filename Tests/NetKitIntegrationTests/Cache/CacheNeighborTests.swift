import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

#if canImport(Glibc)
    /// Tests of several processes in one folder at once.
    @Suite(.needsTheMachine, .needsCacheBridge)
    struct CacheNeighborTests {
        private static let count = 12
        private static let rounds = 10

        /// The process that fetched each version.
        private final class Fetches: Sendable {
            private let owners = Locked<[String]>([])

            func next(for owner: String) -> Int {
                owners.withLock { owners in
                    owners.append(owner)
                    return owners.count - 1
                }
            }

            func owner(of version: Int) -> String? {
                owners.withLock { $0.indices.contains(version) ? $0[version] : nil }
            }
        }

        /// The number of hits of a process, and of those that another process had fetched.
        private struct Yield {
            var hits = 0
            var foreignHits = 0
        }

        /// Two processes write and read the same entries, while others are killed as they write. No body is torn or
        /// belongs to another entry, each process finds the entries of the other, and both go on.
        @Test(arguments: ["disk", "tiered"])
        func processesShareAFolder(store: String) async throws {
            let server = try MockServer()
            let fetches = Fetches()
            server.on(.get, "/n/*") { request in
                let number = Int(request.path.split(separator: "/").last ?? "") ?? 0
                let version = fetches.next(for: request.headers["X-Who"] ?? "")
                return .data(VersionedBody.data(number, version: version)).header("Cache-Control", "max-age=600")
            }
            let folder = try TemporaryFolder()
            let cache = folder.file("cache")
            let arguments = ["--store", store, "--directory", cache.path]
            let base = server.baseURL
            // They begin together in a folder that does not exist yet.
            let yields = try await withThrowingTaskGroup(of: Yield?.self) { group in
                for who in ["one", "two"] {
                    group.addTask { try await Self.work(who, base, arguments, fetches) }
                }
                group.addTask {
                    for round in 0..<4 {
                        let victim = try await BridgeProcess(arguments)
                        _ = try await victim.ask(
                            Self.lines("victim", base, seed: 100 + round, count: 2, writesOnly: true)
                        )
                        try victim.send(Self.lines("victim", base, seed: 200 + round, count: 30, writesOnly: true))
                        await victim.kill()
                    }
                    return nil
                }
                return try await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            }
            #expect(yields.count == 2)
            #expect(yields.allSatisfy { $0.hits > 10 }, "\(yields)")
            // One may have ended before the other had written anything.
            #expect(yields.contains { $0.foreignHits > 0 }, "\(yields)")
            #expect(try await VersionedBody.readAll(Self.count, of: base, in: cache) > Self.count / 2)
        }

        private static func work(
            _ who: String,
            _ base: URL,
            _ arguments: [String],
            _ fetches: Fetches
        ) async throws -> Yield {
            let process = try await BridgeProcess(arguments)
            var yield = Yield()
            for round in 0..<rounds {
                let responses = try await process.ask(lines(who, base, seed: round + who.utf8.count * 1000, count: 8))
                #expect(responses.count == 8, "\(who) ended")
                for response in responses {
                    #expect(response.status == 200 && response.error == nil, "\(response.error ?? "")")
                    let name = VersionedBody.name(of: response.body)
                    #expect(VersionedBody.isWhole(response.body) && name?.number == (response.id ?? 0) % count)
                    if response.isHit { yield.hits += 1 }
                    if response.isHit, let name, fetches.owner(of: name.version) != who { yield.foreignHits += 1 }
                }
            }
            #expect(await process.finish() == 0)
            return yield
        }

        /// Returns requests whose ids contain the number of the body; one in three fetches again and writes.
        private static func lines(
            _ who: String,
            _ base: URL,
            seed: Int,
            count: Int,
            writesOnly: Bool = false
        ) -> [String] {
            var random = RandomSource.seeded(UInt64(seed))
            return (0..<count).map { index in
                // The long one is requested now and then.
                let drawn = Int.random(in: 0..<self.count, using: &random)
                let number = drawn == 0 && index > 0 ? 1 : drawn
                let policy = writesOnly || Int.random(in: 0..<3, using: &random) == 0 ? "reload" : "standard"
                let url = base.appending(path: "n/\(number)").absoluteString
                return "{\"id\": \(index * self.count + number), \"url\": \"\(url)\", \"policy\": \"\(policy)\", "
                    + "\"headers\": [[\"X-Who\", \"\(who)\"]]}"
            }
        }
    }
#endif
