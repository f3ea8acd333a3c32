import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of `netkit tour --database` from its beginning to its end, which takes about six seconds.
@Suite(.needs(.postgres), .needsTheMachine, .needsCommand)
struct DatabaseTourTests {
    @Test func showsWhatReplicasShareAndLeavesNothing() async throws {
        let result = try await BuiltCommand.run(["tour", "--database"])
        #expect(result.status == 0, "\(result.notes)")
        let expected: [Regex<Substring>] = [
            #/PostgreSQL \d+\.\d+, on a socket in /tmp/netkit-tour-/#,
            #/before: there is no schema\n/#,
            #/creates the schema: version \d+; this process knows version \d+\n/#,
            #/its child B each have 8 of 16 shards/#,
            #/  customer-1  by [AB]: 1 2 3 4 5\n/#,
            #/  30 requests: every lane in order, and by one process at a time\n/#,
            #/kill -9 for B/#,
            #/  customer-\d  by B: 6 [67 ]*, then by A: [67 ]+8 9 10\n/#,
            #/  30 requests arrived, in order; \d+ (?:was|were) sent again/#,
            #/ROLLBACK;\n.* COMMIT;\n/#,
            #/  The queue is empty, and the server received only /payments/2\n/#,
            #/  1 login for 20 callers of A and C, and 20 have their response\n/#,
            #/  30 calls took [\d.]+ s: 10 at once, and then 10 a second\n/#,
            #/  C  GET /prices  200 OK  NetKit; hit; ttl=/#,
            #/  C asked the server again, which saw GET /prices, PUT /prices, GET /prices\n/#,
            #/queue orders: 2 waiting, 1 dead, 0 in conflict/#,
            #/  lanes reports: 2 waiting, the oldest for /#,
            #/replica .*: 16 shards, lease for another /#,
            #/netkit_queue_entries\{queue="orders",state="waiting"\} 2\n/#,
            #/The server is stopped, and its folder removed\.\n/#,
        ]
        var rest = result.output[...]
        for part in expected {
            let match = try #require(rest.firstMatch(of: part), "\(result.output)\(result.notes)")
            rest = rest[match.range.upperBound...]
        }
        #expect(!result.output.contains("not as promised"))
        #expect(Self.left(of: try Self.folder(of: result.output)) == nil)
    }

    /// Any signal: one that a process cannot handle ends the server and its folder as well.
    @Test(arguments: [(SIGINT, Int32(130)), (SIGKILL, SIGKILL)])
    func leavesNothingWhenItIsEnded(by signal: Int32, status: Int32) async throws {
        let folder = try TemporaryFolder()
        let output = try folder.write(Data(), to: "output")
        let process = Process()
        process.executableURL = BuiltCommand.executable
        process.arguments = ["tour", "--database"]
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.runToBeKilled()
        func text() -> String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
        // By then, the server and the child process run.
        try await waitUntil { text().contains("A adds 30 requests") || !process.isRunning }
        kill(process.processIdentifier, signal)
        try await waitUntil { !process.isRunning }
        #expect(process.terminationStatus == status)
        let said = text()
        let data = try Self.folder(of: said)
        try await waitUntil { Self.left(of: data) == nil }
    }

    @Test func takesNoFolder() async throws {
        let result = try await BuiltCommand.run(["tour", "--database", "folder"])
        #expect(result.status == 2)
        #expect(result.notes.contains("unexpected argument \"folder\"."))
    }

    /// Returns the folder of the server.
    private static func folder(of said: String) throws -> String {
        String(try #require(said.firstMatch(of: #//tmp/netkit-tour-[-0-9a-f]+/#), "\(said)").0)
    }

    /// Returns the folder of the server or a process that has it among its arguments, if there is one.
    private static func left(of folder: String) -> String? {
        if FileManager.default.fileExists(atPath: folder) { return folder }
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.first { number in
            guard Int(number) != nil else { return false }
            let arguments = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()
            return arguments.firstRange(of: Data(folder.utf8)) != nil
        }
    }
}
