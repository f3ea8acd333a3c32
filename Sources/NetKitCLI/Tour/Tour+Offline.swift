import Foundation
import NetKit
import NetKitTesting

extension Tour {
    /// A conflict resolver that keeps the additions of both sides to a list.
    private struct Merging: ConflictResolver {
        func resolve(
            _ conflict: SyncConflict,
            strategy: ConflictResolutionStrategy
        ) async throws -> ConflictResolution {
            var items: [String] = []
            for data in [conflict.serverData, conflict.localData] {
                guard let data else { continue }
                let text = try JSONDecoder().decode(TourChildProcess.Note.self, from: data).text
                for item in text.split(separator: ", ").map(String.init) where !items.contains(item) {
                    items.append(item)
                }
            }
            let merged = TourChildProcess.Note(text: items.joined(separator: ", "))
            return .send(try JSONEncoder().encode(merged), ifMatch: conflict.serverETag)
        }
    }

    func offline() async throws {
        title("7. The server is down, and the process is killed")
        try server.refuseConnections()
        let queueFolder = folder.appending(path: "queue", directoryHint: .isDirectory)
        try? FileManager.default.removeItem(at: queueFolder)
        try await killAfterEnqueueing(queueFolder)

        title("A new process, and the server is up again")
        server.removeAllRequests()
        TourServer.bringBack(server)
        try server.acceptConnections()
        let client = client([])
        var configuration = OfflineQueue.Configuration()
        configuration.conflictResolver = Merging()
        let queue = try await OfflineQueue(directory: queueFolder, configuration: configuration)
        var left = await queue.pendingCount
        text("\(left) requests were kept, and are sent when their delay is over")
        let events = queue.events
        await queue.attach(client)
        for await event in events {
            switch event.kind {
            case .delivered, .deadLettered, .expired, .dropped: left -= 1
            case .conflict: break
            default: continue
            }
            text("\(event.kind.description) in lane \(event.lane ?? "")")
            if left == 0 { break }
        }
        await queue.close()
        let orders = server.requests.filter { $0.path == "/orders" }
        let note = server.requests.last { $0.path == "/notes/1" }?.bodyText ?? ""
        success(
            "The server has \(Set(orders.map { $0.headers["Idempotency-Key"] }).count) orders, and the note is \(note)"
        )
        await client.shutdown(within: .seconds(1))
        try FileManager.default.removeItem(at: queueFolder)
    }

    /// Starts a child process that queues requests, and kills it as soon as they are stored.
    private func killAfterEnqueueing(_ queueFolder: URL) async throws {
        let child = Process()
        child.executableURL = Bundle.main.executableURL
        child.arguments = [
            "tour", "--child", queueFolder.path(percentEncoded: false), server.baseURL.absoluteString,
        ]
        let pipe = Pipe()
        child.standardOutput = pipe
        let lines = AsyncStream<String> { continuation in
            pipe.fileHandleForReading.readabilityHandler = { handle in
                let data = handle.availableData
                guard !data.isEmpty else { return continuation.finish() }
                for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
                    continuation.yield(String(line))
                }
            }
        }
        try child.run()
        var isWaiting = false
        for await line in lines {
            isWaiting = line == "waiting"
            if isWaiting { break }
            text(line)
        }
        // A child that has ended by itself has given its number back.
        if isWaiting { kill(child.processIdentifier, SIGKILL) }
        pipe.fileHandleForReading.readabilityHandler = nil
        child.waitUntilExit()
        // Without all of its requests, the next step would wait for them endlessly.
        guard isWaiting else {
            let end = "ended with status \(child.terminationStatus) before it had stored its requests"
            throw NetKitError(.custom, "The child process of the tour \(end).")
        }
        warning("kill -9")
    }
}

/// The child process that queues requests for a server that is down, and is killed.
struct TourChildProcess {
    let folder: URL
    let server: URL
    let output: CommandOutput

    func run() async throws {
        let queue = try await OfflineQueue(directory: folder, sender: HTTPClient(baseURL: server))
        for number in 1...3 {
            let order = QueuedRequest(HTTPRequest(.post, "/orders", body: .json(["number": number])), lane: "orders")
            let receipt = try await queue.enqueue(order)
            output.text("order \(number) is safe: \(receipt.idempotencyKey)")
        }
        let change = QueuedRequest(
            HTTPRequest(.put, "/notes/1", body: .json(Note(text: "milk, eggs"))),
            lane: "notes",
            baseETag: "\"v1\"",
            baseData: Data(#"{"text": "milk"}"#.utf8)
        )
        try await queue.enqueue(change)
        output.text("a change of a note is safe")
        output.text("waiting")
        // The parent process kills this one. If it does not, this one ends by itself.
        try await Task.sleep(for: .seconds(30))
    }

    struct Note: Codable {
        var text: String
    }
}
