/// The scenarios there are, in the order in which they run.
enum Scenarios {
    static let all: [any Scenario] = [
        PipelineScenario(), GetScenario.plain, BurstScenario(), CancelScenario(), TransferScenario.upload,
        TransferScenario.download,
    ]

    static var names: [String] { all.map(\.name) }
}
