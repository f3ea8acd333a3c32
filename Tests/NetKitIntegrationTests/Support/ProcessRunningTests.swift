import Foundation
import Testing

struct ProcessRunningTests {
    @Test func aProcessThatIsToBeKilledWritesNoCoverage() async throws {
        let tool = try #require(SystemTool.find("printenv"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tool.path)
        process.arguments = ["LLVM_PROFILE_FILE", "PATH"]
        let output = Pipe()
        process.standardOutput = output
        try process.runToBeKilled()
        let text = try output.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) }
        let path = try #require(ProcessInfo.processInfo.environment["PATH"])
        #expect(text == "/dev/null\n\(path)\n")
    }
}
