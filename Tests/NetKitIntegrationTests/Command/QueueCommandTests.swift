import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@Suite(.needsTheMachine, .needsCommand)
struct QueueCommandTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("queue").path(percentEncoded: false) }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A queue of two entries, of which one was refused.
    private func fill() async throws -> (waiting: UUID, dead: UUID) {
        let transport = MockTransport()
        transport.stub(.post, "/bad", .status(422))
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com"), transport: transport)
        let queue = try await OfflineQueue(directory: folder.file("queue"), sender: client)
        let dead = try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/bad", body: .text("first"))))
        await queue.processQueue()
        await queue.pause(lane: "later")
        let request = HTTPRequest(.post, "/good", body: .text("second"))
        let waiting = try await queue.enqueue(QueuedRequest(request, lane: "later"))
        await queue.close()
        return (waiting.id, dead.id)
    }

    private func objects(_ text: String) throws -> [[String: Any]] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(value as? [[String: Any]])
    }

    @Test func listsShowsAndExports() async throws {
        let (waiting, dead) = try await fill()
        let list = try await BuiltCommand.run(["queue", "list", path])
        #expect(list.status == 0)
        #expect(list.output.contains("\(dead)  dead"))
        #expect(list.output.contains("\(waiting)  waiting"))
        let json = try objects(try await BuiltCommand.run(["queue", "list", path, "--json"]).output)
        #expect(json.map { $0["lane"] as? String } == ["default", "later"])
        let shown = try await BuiltCommand.run(["queue", "show", path, dead.uuidString])
        #expect(shown.output.contains("given up: refused"))
        #expect(shown.output.contains("body: first"))
        let exported = try await BuiltCommand.run(["queue", "export", path]).output.split(separator: "\n")
        #expect(exported.count == 2)
        #expect(exported.last?.contains("\"body\":\"second\"") == true)
    }

    /// Stored text came from a server or a caller, and must not command the terminal.
    @Test func storedTextIsShownAsText() async throws {
        let transport = MockTransport()
        transport.stub(.post, "/bad", .text("\u{1B}]52;c;eA==\u{07}no\nbody: forged", status: 422))
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com"), transport: transport)
        let queue = try await OfflineQueue(directory: folder.file("queue"), sender: client)
        let request = HTTPRequest(.post, "/bad", body: .text("\u{1B}[2Jfirst\nsecond"))
        let dead = try await queue.enqueue(QueuedRequest(request, lane: "a\u{1B}[2J\nb")).id
        await queue.processQueue()
        await queue.close()
        let shown = try await BuiltCommand.run(["queue", "show", path, dead.uuidString]).output
        #expect(shown.contains("\nbody: \u{FFFD}[2Jfirst\n    second\n"))
        #expect(shown.contains("\u{FFFD}]52;c;eA==\u{FFFD}no\n    body: forged\n"))
        let list = try await BuiltCommand.run(["queue", "list", path]).output
        #expect(list.contains("  lane a\u{FFFD}[2J\u{FFFD}b  "))
        #expect(!(shown + list).unicodeScalars.contains("\u{1B}"))
    }

    @Test func retriesAndRemoves() async throws {
        let (waiting, dead) = try await fill()
        #expect(try await BuiltCommand.run(["queue", "retry", path, dead.uuidString]).status == 0)
        #expect(try await BuiltCommand.run(["queue", "remove", path, waiting.uuidString]).status == 0)
        let json = try objects(try await BuiltCommand.run(["queue", "list", path, "--json"]).output)
        #expect(json.map { $0["id"] as? String } == [dead.uuidString])
        #expect(json.first?["state"] as? String == "waiting")
        #expect(try await BuiltCommand.run(["queue", "remove", path, UUID().uuidString]).status == 1)
    }

    @Test func theBeginningOfAnIdentifierIsEnough() async throws {
        let (_, dead) = try await fill()
        let begin = dead.uuidString.prefix(13).lowercased()
        let shown = try await BuiltCommand.run(["queue", "show", path, begin])
        #expect(shown.output.contains("body: first"))
        #expect(try await BuiltCommand.run(["queue", "remove", path, begin]).status == 0)
        let list = try await BuiltCommand.run(["queue", "list", path])
        #expect(list.notes.hasPrefix("1 entry: "))
        let missing = try await BuiltCommand.run(["queue", "show", path, begin])
        #expect(missing.status == 1)
        #expect(missing.notes == "netkit queue: there is no entry \"\(begin)\". Run `netkit queue list` to see all.\n")
        #expect(try await BuiltCommand.run(["queue", "show", path, "abc"]).status == 2)
    }

    @Test func whileAServiceHasTheFolderOpenItMayBeReadAndNotChanged() async throws {
        let (waiting, _) = try await fill()
        let queue = try await OfflineQueue(directory: folder.file("queue"))
        #expect(try await BuiltCommand.run(["queue", "list", path]).status == 0)
        let refused = try await BuiltCommand.run(["queue", "remove", path, waiting.uuidString])
        #expect(refused.status == 1)
        #expect(refused.notes.contains("open already"))
        await queue.close()
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give a file away"), arguments: ["retry", "remove"])
    func changesNoQueueOfAnotherUser(action: String) async throws {
        let (_, dead) = try await fill()
        let lock = folder.file("queue/lock").path(percentEncoded: false)
        #expect(chown(lock, 12_345, 0) == 0)
        let before = try await BuiltCommand.run(["queue", "list", path])
        #expect(before.status == 0)
        let refused = try await BuiltCommand.run(["queue", action, path, dead.uuidString])
        #expect(refused.status == 1)
        #expect(refused.notes.contains("belongs to the user with the ID 12345"), "\(refused.notes)")
        #expect(try await BuiltCommand.run(["queue", "list", path]).output == before.output)
    }

    /// Changes a bit of the journal, and returns its file and its bytes.
    private func damageJournal() throws -> (file: URL, bytes: Data) {
        let journal = folder.file("queue/journal-000000001.jsonl")
        var bytes = try Data(contentsOf: journal)
        bytes[60] ^= 1
        try bytes.write(to: journal)
        return (journal, bytes)
    }

    @Test func findsDamageAndChangesNothing() async throws {
        _ = try await fill()
        #expect(try await BuiltCommand.run(["queue", "verify", path]).status == 0)
        let (journal, bytes) = try damageJournal()
        let found = try await BuiltCommand.run(["queue", "verify", path])
        #expect(found.status == 1)
        #expect(found.output.contains("the checksum does not match"))
        #expect(try Data(contentsOf: journal) == bytes)
    }

    @Test func saysThatDamageIsNotShown() async throws {
        _ = try await fill()
        #expect(try await !BuiltCommand.run(["queue", "list", path]).notes.contains("Not shown"))
        _ = try damageJournal()
        let list = try await BuiltCommand.run(["queue", "list", path])
        #expect(list.status == 0)
        let notes = list.notes.wholeMatch(of: #/netkit queue: Not shown: \d damaged parts?\. .*\n.*\n/#)
        #expect(notes != nil, "\(list.notes)")
        #expect(try await BuiltCommand.run(["queue", "export", path]).status == 1)
    }

    @Test func findsWhatIsMissingAndWhatWasChanged() async throws {
        let queue = try await OfflineQueue(directory: folder.file("queue"))
        let large = HTTPBody.data(Data(repeating: 7, count: 100_000))
        let id = try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/", body: large))).id
        await queue.close()
        #expect(try await BuiltCommand.run(["queue", "verify", path]).status == 0)
        let body = folder.file("queue/bodies/\(id).body")
        try Data(repeating: 8, count: 100_000).write(to: body)
        let changed = try await BuiltCommand.run(["queue", "verify", path])
        #expect(changed.status == 1)
        #expect(changed.output.contains("the entry \(id) cannot be sent"))
        try Data(repeating: 7, count: 100_000).write(to: body)
        try FileManager.default.removeItem(at: folder.file("queue/journal-000000001.jsonl"))
        let missing = try await BuiltCommand.run(["queue", "verify", path])
        #expect(missing.status == 1)
        #expect(missing.output.contains("journal-000000001.jsonl: the file is missing"))
    }

    @Test func exportsTheEntriesThatCanBeRead() async throws {
        let queue = try await OfflineQueue(directory: folder.file("queue"))
        let large = HTTPBody.data(Data(repeating: 7, count: 100_000))
        var ids: [UUID] = []
        for _ in 0..<3 { ids.append(try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/", body: large))).id) }
        await queue.close()
        try FileManager.default.removeItem(at: folder.file("queue/bodies/\(ids[0]).body"))
        let exported = try await BuiltCommand.run(["queue", "export", path])
        #expect(exported.status == 1)
        let lines = exported.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(zip(lines, ids.dropFirst()).allSatisfy { $0.contains("\($1)") })
        #expect(exported.notes.hasPrefix("\(ids[0]): "))
        #expect(exported.notes.hasSuffix("The file \(ids[0]).body is missing.\n"))
        #expect(exported.notes.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
        ["queue"], ["queue", "list"], ["queue", "dance", "x"], ["queue", "show", "x"], ["queue", "show", "x", "y"],
        ["queue", "list", "x", "y"], ["queue", "list", "x", "--what"], ["queue", "list", "x", "--schema", "crm"],
        ["queue", "list", "x", "--schema", "A b", "--database", "postgresql://127.0.0.1:1/x"],
    ])
    func saysWhatIsWrongWithArguments(arguments: [String]) async throws {
        let result = try await BuiltCommand.run(arguments)
        #expect(result.status == 2)
        #expect(result.notes.contains("Usage: netkit queue"))
    }

    @Test func leavesAFolderThatIsNoQueueAlone() async throws {
        let result = try await BuiltCommand.run(["queue", "list", folder.path])
        #expect(result.status == 1)
        #expect(try folder.names.isEmpty)
    }
}
