import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of one folder and several processes.
@Suite(.needsTheMachine, .needsQueueProbe)
struct QueueOwnerTests {
    private func hold(_ folder: String, through launcher: [String] = []) async throws -> String {
        let probe = try #require(BuiltCommand.queueProbe).path(percentEncoded: false)
        let command = launcher + [probe, "hold", folder]
        let process = try RunningProcess(URL(fileURLWithPath: command[0]), Array(command.dropFirst()))
        let line = await process.firstLine()
        await process.finish()
        return line
    }

    @Test func aSecondProcessIsRefusedForAsLongAsTheFirstOneLives() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("queue").path(percentEncoded: false)
        let queue = try await OfflineQueue(directory: folder.file("queue"))
        #expect(try await hold(path) == "queueLocked")
        await queue.close()
        #expect(try await hold(path) == "open")
    }

    @Test func aProcessThatIsKilledLetsTheFolderGo() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("queue").path(percentEncoded: false)
        _ = try await QueueProbe.run(["write", path, "1"], killAfter: .milliseconds(60))
        #expect(try await hold(path) == "open")
    }

    #if os(Linux)
        /// A container has process numbers of its own, so a lock by number would mean nothing there.
        @Test(.needsNamespaces) func aProcessInAnotherNamespaceIsRefusedToo() async throws {
            let launcher = Namespaces.command(["--pid", "--fork", "--mount-proc"])
            let folder = try TemporaryFolder()
            let path = folder.file("queue").path(percentEncoded: false)
            let queue = try await OfflineQueue(directory: folder.file("queue"))
            #expect(try await hold(path, through: launcher) == "queueLocked")
            await queue.close()
            #expect(try await hold(path, through: launcher) == "open")
        }

        /// A disk that is really full: acknowledged entries are found, and the queue works again when there is room.
        @Test(.needsNamespaces) func aFullDiskLosesNothing() async throws {
            let probe = try #require(BuiltCommand.queueProbe).path(percentEncoded: false)
            let folder = try TemporaryFolder()
            let (notes, disk) = (folder.file("notes").path(), folder.file("disk").path())
            let script = """
                set -e
                mkdir "$2"
                mount -t tmpfs -o size=1m none "$2"
                "$0" write "$2/queue" 1 20 >> "$1"
                head -c 2m /dev/zero > "$2/filler" 2>/dev/null || true
                "$0" write "$2/queue" 2 200 >> "$1" 2> "$1.errors" || true
                grep -q 'No space left' "$1.errors"
                rm "$2/filler"
                "$0" write "$2/queue" 3 5 > "$1.third"
                grep -q ACK "$1.third"
                cat "$1.third" >> "$1"
                "$0" read "$2/queue" | sed 's/^/READ /' >> "$1"
                """
            let launcher = Namespaces.command(["--mount"]) + ["sh", "-c", script, probe, notes, disk]
            let tool = SystemTool(path: launcher[0])
            let (status, output) = try await tool.run(Array(launcher.dropFirst()))
            #expect(status == 0, "\(output.suffix(500))")
            let text = try String(contentsOfFile: notes, encoding: .utf8)
            let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            func ids(_ word: String) -> Set<String> {
                Set(lines.filter { $0.count > 1 && $0[0] == word }.map { $0[1] })
            }
            #expect(ids("ACK").count > 20)
            #expect(ids("ACK").subtracting(ids("DONE")).subtracting(ids("READ")).isEmpty)
        }
    #endif
}
