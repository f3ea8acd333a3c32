import NetKitTesting

extension TransportConformance {
    /// Runs a case; one that is known to fail does not get all the time there is to hang.
    ///
    /// The others get more of it than users do: beside other tests, a body that never ends can keep both cores for
    /// longer than a case may take on a machine of its own.
    func runBriefly(_ conformanceCase: ConformanceCase) async -> ConformanceResult {
        let limit = conformanceCase.timeLimit
        let isKnownToFail = exception(for: conformanceCase)?.kind == .fails
        return await run(conformanceCase, within: isKnownToFail ? min(limit, .seconds(2)) : limit * 8)
    }
}
