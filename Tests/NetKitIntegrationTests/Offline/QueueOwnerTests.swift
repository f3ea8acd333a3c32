import Foundation
import NetKit
import NetKitTesting
import Testing

/// One folder and several processes.
@Suite(.needsQueueProbe)
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
        /// A container has process numbers of its own; a lock by number would mean nothing there.
        @Test func aProcessInAnotherNamespaceIsRefusedToo() async throws {
            let unshare = try #require(SystemTool.find("unshare"))
            let launcher = [unshare.path, "--pid", "--fork", "--user", "--map-root-user"]
            guard try await unshare.run(Array(launcher.dropFirst()) + ["true"]).status == 0 else {
                return
            }
            let folder = try TemporaryFolder()
            let path = folder.file("queue").path(percentEncoded: false)
            let queue = try await OfflineQueue(directory: folder.file("queue"))
            #expect(try await hold(path, through: launcher) == "queueLocked")
            await queue.close()
            #expect(try await hold(path, through: launcher) == "open")
        }

        /// A disk that is really full: what was acknowledged is there, and the queue works again when there is room.
        @Test func aFullDiskLosesNothing() async throws {
            let unshare = try #require(SystemTool.find("unshare"))
            let arguments = ["--mount", "--user", "--map-root-user"]
            guard try await unshare.run(arguments + ["mount", "-t", "tmpfs", "none", "/mnt"]).status == 0 else {
                return
            }
            let probe = try #require(BuiltCommand.queueProbe).path(percentEncoded: false)
            let script = """
                set -e
                mount -t tmpfs -o size=1m none /mnt
                "\(probe)" write /mnt/queue 1 20 > /mnt/first
                head -c 2m /dev/zero > /mnt/filler 2>/dev/null || true
                "\(probe)" write /mnt/queue 2 200 2>/dev/null | grep -E '^(ACK|DONE)' > /dev/shm/netkit-$$ || true
                rm /mnt/filler
                "\(probe)" write /mnt/queue 3 5 > /mnt/third
                grep -q ACK /mnt/third
                cat /mnt/first /mnt/third /dev/shm/netkit-$$ | grep -E '^(ACK|DONE)'
                rm /dev/shm/netkit-$$
                "\(probe)" read /mnt/queue | sed 's/^/READ /'
                """
            let (status, output) = try await unshare.run(arguments + ["sh", "-c", script])
            #expect(status == 0, "\(output.suffix(500))")
            let lines = output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            func ids(_ word: String) -> Set<String> {
                Set(lines.filter { $0.count > 1 && $0[0] == word }.map { $0[1] })
            }
            #expect(ids("ACK").count > 20)
            #expect(ids("ACK").subtracting(ids("DONE")).subtracting(ids("READ")).isEmpty)
        }
    #endif
}
