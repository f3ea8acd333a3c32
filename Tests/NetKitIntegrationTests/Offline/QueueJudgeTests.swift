import Foundation
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests with independent programs that break the disk below a queue, and count the lost entries.
///
/// They are in the folder that `NETKIT_DISK_JUDGES` names: `killloop.py`, `powerfail.py`, `iofault.py` and
/// `faultfs.c`.
@Suite(.needsTheMachine(for: .seconds(900)), .serialized, .needsDiskJudges)
struct QueueJudgeTests {
    private let folder: TemporaryFolder
    private let probe: String

    init() throws {
        folder = try TemporaryFolder()
        probe = try #require(BuiltCommand.queueProbe).path(percentEncoded: false)
    }

    private static let isLong = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1"
    static let judges = ProcessInfo.processInfo.environment["NETKIT_DISK_JUDGES"].map { URL(fileURLWithPath: $0) }

    private func judge(_ name: String, _ arguments: [String], in place: URL? = judges) async throws {
        let program = try #require(place).appending(path: name).path(percentEncoded: false)
        let python = try #require(SystemTool.find("python3"))
        let (status, output) = try await python.run([program] + arguments)
        #expect(status == 0, "\(output.suffix(2000))")
    }

    @Test func killedAtRandomMoments() async throws {
        try await judge(
            "killloop.py",
            [
                "--writer", "\(probe) write {dir} {round}", "--reader", "\(probe) read {dir}", "--rounds",
                Self.isLong ? "1000" : "20",
            ]
        )
    }

    @Test func thePowerIsCutAtEverySystemCall() async throws {
        let place = folder.file("power").path(percentEncoded: false)
        try await judge(
            "powerfail.py",
            [
                "--dir", place, "--writer",
                "env NETKIT_PROBE_SMALL=1 \(probe) write \(place) 1 \(Self.isLong ? 12 : 3)",
                "--reader", "\(probe) read {dir}",
            ]
        )
    }

    @Test func everyCallFails() async throws {
        for name in ["iofault.py", "faultfs.c"] {
            let source = try #require(Self.judges).appending(path: name)
            _ = try folder.write(try Data(contentsOf: source), to: name)
        }
        let compiler = try #require(SystemTool.find("cc"))
        let library = folder.file("faultfs.so").path(percentEncoded: false)
        let source = folder.file("faultfs.c").path(percentEncoded: false)
        #expect(try await compiler.run(["-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"]).status == 0)
        var arguments = [
            "--writer", "env NETKIT_PROBE_SMALL=1 \(probe) write {dir} 1 \(Self.isLong ? 8 : 2)", "--reader",
            "\(probe) read {dir}",
        ]
        if !Self.isLong { arguments += ["--max", "12"] }
        try await judge("iofault.py", arguments, in: folder.url)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the reason, if the programs are not there.
    static var needsDiskJudges: ConditionTrait {
        .enabled(
            if: QueueJudgeTests.judges != nil && BuiltCommand.queueProbe != nil
                && ["python3", "strace", "cc"].allSatisfy { SystemTool.find($0) != nil },
            "set NETKIT_DISK_JUDGES to the folder of the disk judges, and install python3, strace and a C compiler"
        )
    }
}
