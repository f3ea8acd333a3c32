/// All scenarios, in the order in which they run.
enum Scenarios {
    static let all: [any Scenario] =
        [
            PipelineScenario(), PoliciesScenario(), ListenersScenario(), CacheScenario(), GetScenario.plain,
            GetScenario.tls,
            GetScenario.http2,
            ConnectScenario(), ColdScenario(), GrowthScenario(), InstructionsScenario(),
            BurstScenario.plain,
            BurstScenario.held, CancelScenario(),
        ] + TransferKind.allCases.map(TransferScenario.init) + [
            MultipartScenario(), QueryScenario(), EventsScenario(), SlowReaderScenario(), QueueScenario(),
            PostgresScenario(), SoakScenario(),
        ]

    static var names: [String] { all.map(\.name) }
}
