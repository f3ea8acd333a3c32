extension Pipeline {
    /// What makes no sense about a client's settings, each said once.
    func warnings(_ facts: PipelineFacts) -> [String] {
        var seen = Set<String>()
        return (facts.timeouts.warnings + (interceptors + listeners).flatMap { $0.warnings(in: facts) })
            .map { NetKitError.oneLine($0, limit: 400) }
            .filter { seen.insert($0).inserted }
    }
}

extension Timeouts {
    /// What can be kept, but hardly be meant.
    var warnings: [String] {
        guard let total, let attempt, total < attempt else { return [] }
        return [
            "timeouts.total (\(total.shortText)) is shorter than timeouts.attempt (\(attempt.shortText)): "
                + "a first attempt that hangs leaves no time for a second. Lower timeouts.attempt."
        ]
    }
}
