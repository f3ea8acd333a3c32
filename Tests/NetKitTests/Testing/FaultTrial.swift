import NetKitTesting

/// A trial of a store with a fault in the cases that have to detect it, and in the others of their areas.
struct FaultTrial {
    private let expected: Set<String>

    /// Creates a trial with the names of the cases that have to detect the fault.
    init(_ expected: Set<String>) {
        self.expected = expected
    }

    /// Returns the names of the cases that detect the fault.
    ///
    /// A stalled machine can change what a case finds, so the cases are tried up to three times until the names are the
    /// expected ones.
    func brokenCases<Trial: Sendable>(
        of cases: [StoreConformanceCase<Trial>],
        run: @escaping @Sendable (StoreConformanceCase<Trial>) async -> StoreConformanceResult
    ) async -> Set<String> {
        let areas = Set(expected.map(area(of:)))
        let tried = cases.filter { areas.contains(area(of: $0.name)) }
        var broken: Set<String> = []
        for _ in 0..<3 where broken != expected {
            broken = await withTaskGroup(of: StoreConformanceResult.self) { group in
                for conformanceCase in tried { group.addTask { await run(conformanceCase) } }
                var names: Set<String> = []
                for await result in group where !result.isKept { names.insert(result.name) }
                return names
            }
        }
        return broken
    }

    /// Returns the area of a case, which is the first part of its name.
    private func area(of name: String) -> Substring { name.prefix { $0 != "." } }
}
