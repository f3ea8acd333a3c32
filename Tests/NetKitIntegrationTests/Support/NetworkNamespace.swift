#if os(Linux)
    import Dispatch
    import Foundation
    import NetKit
    import Testing

    /// A network of its own with a pair of interfaces, `netkit monitor` in it, and commands to switch them.
    ///
    /// It ends with its input, which closes at the latest when the tests end. There is no namespace for processes: in
    /// one without a `/proc` of its own, libdispatch reads about the wrong threads, and traps.
    final class NetworkNamespace: Sendable {
        /// A line that the command printed, and when it was read.
        struct Line: Sendable {
            let text: String
            let time: ContinuousClock.Instant

            var isConnected: Bool { text.contains("\"connected\":true") }
        }

        // `Process` is not Sendable; the lock owns it.
        private let process: Locked<Process>
        private let switches: FileHandle
        /// What `netkit monitor --json` prints.
        let lines: AsyncStream<Line>

        /// Whether the machine lets a test have one. Missing tools are a different case.
        static let isPossible: Bool = {
            guard let unshare = SystemTool.find("unshare") else { return getuid() == 0 }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: unshare.path)
            process.arguments = options + ["true"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.runAlone()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }()

        private static var options: [String] {
            (getuid() == 0 ? [] : ["--user", "--map-root-user"]) + ["--net"]
        }

        /// Runs a command that may not open the sockets on which the kernel reports links, as in a strict container.
        private static let withoutNetlink = """
            import ctypes, os, socket, struct, sys

            number = {"x86_64": 41, "aarch64": 198}[os.uname().machine]
            steps = [
                (0x20, 0, 0, 0),             # the number of the system call
                (0x15, 0, 3, number),        # that of `socket`, or let it through
                (0x20, 0, 0, 16),            # its first argument
                (0x15, 0, 1, 16),            # AF_NETLINK, or let it through
                (0x06, 0, 0, 0x00050001),    # EPERM
                (0x06, 0, 0, 0x7FFF0000),
            ]
            code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
            program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
            libc = ctypes.CDLL(None)
            assert libc.prctl(38, 1, 0, 0, 0) == 0
            assert libc.prctl(22, 2, program, 0, 0) == 0
            try:
                socket.socket(16, socket.SOCK_RAW, 0)
                sys.exit("the kernel still answers")
            except PermissionError:
                os.execv(sys.argv[1], sys.argv[1:])
            """

        /// Creates a network whose link is up, and a monitor in it.
        ///
        /// - Parameters:
        /// - arguments: The arguments of `netkit monitor` beside `--json`.
        /// - mayAskKernel: Whether the kernel may notify the monitor. Otherwise, it has to look for itself.
        init(monitoring arguments: [String] = [], mayAskKernel: Bool = true) throws {
            let unshare = try #require(SystemTool.find("unshare"), "install Debian's util-linux")
            let ip = try #require(SystemTool.find("ip"), "install Debian's iproute2")
            let command: URL = try #require(BuiltCommand.executable)
            var monitor = [command.path(), "monitor", "--json"] + arguments
            if !mayAskKernel {
                let python = try #require(SystemTool.find("python3"), "install Debian's python3")
                monitor = [python.path, "-c", Self.withoutNetlink] + monitor
            }
            let script = """
                "$1" link set lo up
                "$1" link add v0 type veth peer name v1
                "$1" address add 10.9.0.1/24 dev v0
                "$1" link set v0 up
                "$1" link set v1 up
                # The kernel finds the link up a moment later, and on a busy machine not at once.
                for look in $(seq 500); do
                    if "$1" -oneline link show v0 | grep --quiet "state UP"; then break; fi
                    sleep 0.02
                done
                ip=$1
                shift
                "$@" &
                "$ip" -force -batch - >&2
                kill $!
                """
            let process = Process()
            process.executableURL = URL(fileURLWithPath: unshare.path)
            process.arguments = Self.options + ["sh", "-c", script, "sh", ip.path] + monitor
            let (input, output) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            try process.runToBeKilled()
            self.process = Locked(process)
            switches = input.fileHandleForWriting
            let (lines, continuation) = AsyncStream.makeStream(of: Line.self)
            self.lines = lines
            let reading = output.fileHandleForReading
            Thread {
                var rest = Data()
                // The available bytes: reading a fixed number would wait for all of them.
                while case let data = reading.availableData, !data.isEmpty {
                    let time = ContinuousClock.now
                    rest.append(data)
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        continuation.yield(Line(text: String(decoding: rest[..<end], as: UTF8.self), time: time))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                continuation.finish()
            }
            .start()
        }

        /// Runs commands of `ip`, one after the other, and returns before they are done.
        func ip(_ commands: String...) throws {
            try switches.write(contentsOf: Data(commands.map { $0 + "\n" }.joined().utf8))
        }

        /// Switches the link on or off.
        func setLink(_ isUp: Bool) throws {
            try ip("link set v0 \(isUp ? "up" : "down")")
        }

        deinit {
            try? switches.close()
        }
    }

    extension Trait where Self == ConditionTrait {
        /// Skips if the machine allows no network namespace. Otherwise, a missing tool fails the test in CI.
        static var needsNetworkNamespace: ConditionTrait {
            guard NetworkNamespace.isPossible else { return .disabled("this machine allows no network namespace") }
            let hasTool = SystemTool.find("unshare") != nil && SystemTool.find("ip") != nil
            return .enabled(if: Peer.isCI || hasTool, "install Debian's util-linux and iproute2")
        }
    }
#endif
