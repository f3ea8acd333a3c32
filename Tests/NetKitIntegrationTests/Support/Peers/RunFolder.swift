import Foundation
import NetKit

/// A temporary folder, with a process in it if wanted, that are removed with this object or when the tests have ended.
///
/// A shell keeps watch: it reads from a pipe that ends with the process of the tests, however that ends, then kills
/// what it started and removes the folder. A `deinit` alone is not enough, because values that live as long as the
/// process have none.
final class RunFolder: Sendable {
    let url: URL
    private let watch: RunningProcess

    /// Starts a command, which may use the folder, with its output in the folder's file `output`.
    ///
    /// - Parameters:
    ///   - parent: The folder in which this one is made.
    ///   - signal: The name of the signal that ends the process at once.
    ///   - command: The command, of which the first part is the path of the program.
    init(
        in parent: URL = FileManager.default.temporaryDirectory,
        endedBy signal: String = "KILL",
        _ command: (URL) throws -> [String] = { _ in [] }
    ) throws {
        url = parent.appending(path: "netkit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let arguments = ["-c", Self.script, "sh", url.path(), signal]
        do {
            watch = try RunningProcess(URL(fileURLWithPath: "/bin/sh"), arguments + command(url))
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
    }

    deinit { watch.endInput() }

    /// Ends the process, and waits until it and the folder are gone.
    func remove() async {
        await watch.finish()
    }

    /// The output of the process so far.
    var output: String {
        (try? String(contentsOf: url.appending(path: "output"), encoding: .utf8)) ?? ""
    }

    /// Waits until a process in the folder accepts connections at some ports.
    func waitForListeners(at ports: [ReservedPort]) async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(60)
        // These programs do not report that they listen.
        for port in ports {
            while RawConnection(port: port.number) == nil {
                guard clock.now < deadline else { throw PeerError("nobody listens at \(port.number): \(output)") }
                try await clock.sleep(for: .milliseconds(2))
            }
        }
    }

    // Signals that end the tests must not end the watch, and the killed processes have nothing to clean up.
    private static let script = """
        trap '' HUP INT TERM
        exec 2>/dev/null
        folder=$1
        signal=$2
        shift 2
        child=
        if [ $# -gt 0 ]; then
            "$@" >"$folder/output" 2>&1 &
            child=$!
        fi
        cat >/dev/null
        if [ -n "$child" ]; then
            kill -$signal "$child"
            wait
        fi
        rm -rf "$folder"
        """
}
