extension Contest {
    /// Runs each round of each job in a separate process.
    ///
    /// Every process is new, so there is no warm-up.
    static func inChildren<Job: ChildJob>(
        rounds: Int,
        seed: UInt64,
        timeLimit: Duration,
        _ jobs: [(name: String, job: Job)]
    ) async throws -> Results where Job.Result == Measurement {
        let contenders = jobs.map { name, job in
            Contender(name: name) { try await job.runInChild(timeLimit: timeLimit) }
        }
        return try await Contest(rounds: rounds, seed: seed, warmsUp: false).run(contenders)
    }
}
