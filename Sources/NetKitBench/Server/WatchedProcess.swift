import Foundation

/// A server of another project in a child process that ends with this process at the latest.
///
/// A shell keeps watch: it reads from a pipe that ends with this process, however that ends. It then ends the server
/// and removes the folder of the server's files.
final class WatchedProcess {
    private let watch = Process()
    private let input = Pipe()

    /// Starts a command without input and output.
    ///
    /// - Parameters:
    ///   - command: The path of the program, and its arguments.
    ///   - signal: The name of the signal that ends the server.
    ///   - folder: The folder of the server's files.
    /// - Throws: An error if the shell cannot be started.
    init(_ command: [String], endedBy signal: String, in folder: ScratchFolder) throws {
        watch.executableURL = URL(fileURLWithPath: "/bin/sh")
        watch.arguments = ["-c", Self.script, "sh", folder.url.path(percentEncoded: false), signal] + command
        watch.standardInput = input
        watch.standardOutput = FileHandle.nullDevice
        watch.standardError = FileHandle.nullDevice
        try watch.runWithSignals()
    }

    /// Ends the server, and waits until it and its files are gone.
    func stop() {
        try? input.fileHandleForWriting.close()
        watch.waitUntilExit()
    }

    // Control-C reaches the shell as well, and must not end it.
    private static let script = """
        trap '' HUP INT TERM
        folder=$1 signal=$2
        shift 2
        "$@" </dev/null &
        cat >/dev/null
        kill -"$signal" $!
        wait
        rm -rf "$folder"
        """
}
