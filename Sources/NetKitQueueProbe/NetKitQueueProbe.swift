import Foundation
import NetKit

/// A queue for programs that judge it from outside: they kill it, cut its power, and fill its disk.
///
/// `write` says `ACK id` once an entry is safe, and `DONE id` before it is removed; `read` prints the entries, one a line.
@main
struct NetKitQueueProbe {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let command = arguments.first, arguments.count >= 2 else {
            Output.note("Usage: NetKitQueueProbe write <folder> [<round> [<count>]] | read <folder> | hold <folder>")
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
            guard let kept = try await queue.keptRequest(entry.id) else { continue }
            // The body is read as well: an entry whose body is gone is none.
            let size = try await kept.bodySize()
            let tag = kept.tags["n"] ?? "-"
            Output.line("\(entry.id) \(entry.lane) \(tag) \(kept.idempotencyKey ?? "-") \(entry.state) \(size)")
        }
        await queue.close()
    }

    /// Keeps the folder open until standard input ends.
    private static func hold(_ folder: URL) async throws {
        do {
            let queue = try await OfflineQueue(directory: folder)
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
    /// How many bytes of the body there really are.
    func bodySize() async throws -> Int64 {
        guard let body else { return 0 }
        if let bytes = body.bytes { return Int64(bytes.count) }
        var size: Int64 = 0
        for try await chunk in body.chunks { size += Int64(chunk.count) }
        return size
    }
}
