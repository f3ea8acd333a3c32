import Foundation
import NetKit
import NetKitTesting

/// `netkit tour`: shows what the library does, against a server that misbehaves.
struct TourCommand {
    let options: TourOptions
    let output: CommandOutput
    let style: TerminalStyle
    /// Whether a line may be written over.
    let isTerminal: Bool

    func run() async throws -> ExitCode {
        if let victim = options.victim {
            try await TourVictim(folder: victim.folder, server: victim.server, output: output).run()
            return .success
        }
        try FileManager.default.createDirectory(at: options.folder, withIntermediateDirectories: true)
        let tour = try Tour(folder: options.folder, output: output, style: style, isTerminal: isTerminal)
        try await tour.typedCall()
        try await tour.retry()
        try await tour.oneRefreshForTen()
        try await tour.upload()
        try await tour.download()
        try await tour.cache()
        try await tour.offline()
        try await tour.numbers()
        return .success
    }
}
