import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Tests of the output of the log sinks to standard error.
@Suite(.needsTheMachine)
struct StandardErrorTests {
    @Test(.inAProcessOfItsOwn) func itHasOneLineForEachRecordFromAnyThread() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .success) { [path = folder.file("log").path() as String] in
            try OwnStandardError.write(to: path)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let text = "\(number) " + String(repeating: "x", count: 3000)
                        let record = LogRecord(.error, text, callID: CallID(), date: Date(timeIntervalSince1970: 0))
                        (number % 2 == 0 ? TextLogSink() as any LogSink : JSONLinesLogSink()).write(record)
                    }
                }
            }
        }
        let text = try OwnStandardError.text(in: folder.file("log"))
        let lines = text.split(separator: "\n").filter { $0.contains("xxx") }
        #expect(lines.count == 50)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"time\"") || $0.hasPrefix("1970-") })
    }

    #if os(Linux)
        /// In a process of its own, because a signal would end it.
        @Test(.inAProcessOfItsOwn) func aReaderThatIsGoneEndsNoProcess() async {
            await #expect(processExitsWith: .success) {
                signal(SIGPIPE, SIG_DFL)
                var ends: [Int32] = [-1, -1]
                let own = dup(STDERR_FILENO)
                try #require(pipe(&ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0)
                for end in ends { close(end) }
                for _ in 0..<3 {
                    TextLogSink().write(LogRecord(.error, "x", callID: CallID(), date: Date(timeIntervalSince1970: 0)))
                }
                dup2(own, STDERR_FILENO)
                var (pending, blocked) = (sigset_t(), sigset_t())
                sigpending(&pending)
                pthread_sigmask(SIG_BLOCK, nil, &blocked)
                #expect(sigismember(&pending, SIGPIPE) == 0)
                #expect(sigismember(&blocked, SIGPIPE) == 0)
            }
        }
    #endif
}
