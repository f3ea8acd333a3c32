import Foundation

/// The subcommands with which the bench starts itself in child processes.
enum HiddenCommand {
    private static let jobs: [any ChildJob.Type] = [
        BurstJob.self, TransferJob.self, CancelJob.self, MultipartJob.self, SlowReaderJob.self, SoakJob.self,
        QueueOpenJob.self, CacheFloodJob.self, InstructionsJob.self, OutboxReplicaJob.self,
    ]

    /// Runs a hidden subcommand.
    ///
    /// Returns `false` if the arguments name none.
    @concurrent
    static func run(_ arguments: [String]) async throws -> Bool {
        switch arguments.first {
        case "_serve" where arguments.count == 2:
            try ServeCommand.run(ServerChoice(rawValue: arguments[1]) ?? .automatic)
        case "_job" where arguments.count == 3:
            guard let job = jobs.first(where: { $0.name == arguments[1] }) else { return false }
            ChildProcess.endWithParent()
            try await job.serve(arguments[2])
        case "_probe" where arguments.count == 2:
            ChildProcess.endWithParent()
            let job = try JSONDecoder().decode(ProbeJob.self, from: Data(arguments[1].utf8))
            try await job.run()
            // Hanging tasks must not keep the process alive.
            exit(0)
        default: return false
        }
        return true
    }
}
