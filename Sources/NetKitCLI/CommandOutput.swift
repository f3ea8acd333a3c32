import Foundation

/// Where a command writes: what was asked for goes to standard output, everything about it to standard error.
struct CommandOutput: Sendable {
    let text: @Sendable (String) -> Void
    let data: @Sendable (Data) -> Void
    let note: @Sendable (String) -> Void

    static let standard = CommandOutput(
        text: { FileHandle.standardOutput.write(Data(($0 + "\n").utf8)) },
        data: { FileHandle.standardOutput.write($0) },
        note: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }
    )
}
