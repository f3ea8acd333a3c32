import Foundation

/// The subcommands that the bench starts itself with, in child processes.
enum HiddenCommand {
    private static let jobs: [any ChildJob.Type] = [
        BurstJob.self, TransferJob.self, CancelJob.self, MultipartJob.self, SlowReaderJob.self, SoakJob.self,
        QueueOpenJob.self,
        CacheFloodJob.self,
    ]

    /// Carries one out; false if the arguments ask for none.
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
            // Tasks that hang shall not keep the process.
            exit(0)
        default: return false
        }
        return true
    }
}
