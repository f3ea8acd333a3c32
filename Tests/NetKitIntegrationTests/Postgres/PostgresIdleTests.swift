#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTestSupport
    import Testing

    @testable import NetKitPostgres

    @Suite(.needs(.postgres), .needsTheMachine)
    struct PostgresIdleTests {
        /// Tests that an idle loop uses no processor time.
        @Test(.inAProcessOfItsOwn) func restsWhileNothingHappens() async throws {
            let server = try await PostgresServer.shared.value
            let port = try ReservedPort()
            await #expect(processExitsWith: .success) {
                [
                    url = server.url("postgres") as String,
                    nowhere = "postgres://a@127.0.0.1:\(port.number)/a" as String
                ] in
                let proxy = try BreakableProxy(to: UInt16(url.split(separator: "=").last ?? "") ?? 0)
                var configuration = Postgres.Configuration()
                configuration.migrations = .none
                let database = try await Postgres(url, configuration: configuration)
                let (heard, continuation) = AsyncStream.makeStream(of: PostgresNotice.self)
                _ = database.listen(to: "work") { continuation.yield($0) }
                for await _ in heard { break }
                let cut = try await Postgres(
                    "postgres://postgres@127.0.0.1:\(proxy.port)/postgres",
                    configuration: configuration
                )
                proxy.set(.hold)
                async let held = try? cut.run(Statement("SELECT 1"), within: .milliseconds(100))
                let lost = Task { try? await Postgres(nowhere, configuration: configuration) }
                let before = try Self.threadTime()
                try await Task.sleep(for: .milliseconds(500))
                let used = try Self.threadTime() - before
                _ = await (held, lost.value)
                guard used < 50_000_000 else { exit(1) }
                await database.close()
                await cut.close(within: .zero)
                let after = try await OwnProcess.settled(of: "netkit.postgres") { $0.loops == 0 }
                guard after.loops == 0 else { exit(2) }
            }
        }

        /// The nanoseconds that the threads of databases have run.
        private static func threadTime() throws -> Int {
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
            return threads.reduce(0) { sum, thread in
                let folder = "/proc/self/task/\(thread)"
                let name = try? String(contentsOfFile: "\(folder)/comm", encoding: .utf8)
                guard name?.hasPrefix("netkit.postgres") == true else { return sum }
                let times = try? String(contentsOfFile: "\(folder)/schedstat", encoding: .utf8)
                return sum + (times?.split(separator: " ").first.flatMap { Int($0) } ?? 0)
            }
        }
    }
#endif
