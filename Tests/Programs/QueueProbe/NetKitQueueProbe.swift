import Foundation
import NetKit

/// A queue for programs that test it from outside: they kill it, cut its power, and fill its disk.
///
/// `write` says `ACK id` once an entry is safe, and `DONE id` before it is removed; `read` prints the entries, one a
/// line.
@main
struct NetKitQueueProbe {
    private static let usage = """
        Usage: NetKitQueueProbe <command> <folder> …

          write <folder> [<round> [<count>]]  enqueue and deliver
          read <folder>                       print the entries
          hold <folder>                       keep the folder open until the input ends
          fill <folder> <count> [<callers>]   enqueue entries of 1 KB
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let command = arguments.first, arguments.count >= 2 else {
            Output.note(usage)
            exit(2)
        }
        let folder = URL(fileURLWithPath: arguments[1])
        do {
            switch command {
            case "write":
                let round = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0
                let count = arguments.count > 3 ? Int(arguments[3]) ?? 0 : Int.max
                try await ProbeWriter(folder: folder, round: round, count: count).run()
            case "read": try await read(folder)
            case "hold": try await hold(folder)
            case "fill":
                let numbers = arguments.dropFirst(2).compactMap { Int($0) }
                try await fill(folder, numbers.first ?? 0, callers: numbers.dropFirst().first ?? 64)
            default:
                Output.note("There is no command \"\(command)\".")
                exit(2)
            }
        } catch {
            Output.note("\(error)")
            exit(1)
        }
    }

    private static func read(_ folder: URL) async throws {
        let queue = try await OfflineQueue(directory: folder)
        if let problem = await queue.storeProblem { throw problem }
        for entry in await queue.entries {
            guard let kept = try await queue.storedRequest(entry.id) else { continue }
            // The body is read as well, because an entry without its body is lost.
            let size = try await kept.bodySize()
            let tag = kept.tags["n"] ?? "-"
            Output.line("\(entry.id) \(entry.lane) \(tag) \(kept.idempotencyKey ?? "-") \(entry.state) \(size)")
        }
        await queue.close()
    }

    /// Adds entries of 1 KB, and prints how long that took.
    private static func fill(_ folder: URL, _ count: Int, callers: Int) async throws {
        var configuration = OfflineQueue.Configuration()
        configuration.maxEntries = .max
        let queue = try await OfflineQueue(directory: folder, configuration: configuration)
        let body = HTTPBody.data(Data(repeating: UInt8(ascii: "x"), count: 1024), contentType: "text/plain")
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, callers) {
                group.addTask {
                    for _ in 0..<count / max(1, callers) {
                        try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/orders", body: body)))
                    }
                }
            }
            try await group.waitForAll()
        }
        Output.line("\(count) \(start.duration(to: .now))")
        await queue.close()
    }

    /// Keeps the folder open until standard input ends.
    private static func hold(_ folder: URL) async throws {
        do {
            let start = ContinuousClock.now
            let queue = try await OfflineQueue(directory: folder)
            Output.note("\(await queue.pendingCount) entries, opened in \(start.duration(to: .now))")
            Output.line("open")
            await withCheckedContinuation { continuation in
                Thread {
                    _ = FileHandle.standardInput.readDataToEndOfFile()
                    continuation.resume()
                }
                .start()
            }
            await queue.close()
        } catch let error as NetKitError {
            Output.line("\(error.code)")
        }
    }
}

extension QueuedRequest {
    /// The actual number of bytes of the body.
    func bodySize() async throws -> Int64 {
        guard let body else { return 0 }
        if let bytes = body.bytes { return Int64(bytes.count) }
        var size: Int64 = 0
        for try await chunk in body.chunks { size += Int64(chunk.count) }
        return size
    }
}
