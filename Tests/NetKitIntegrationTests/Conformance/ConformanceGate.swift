import NetKitTesting

/// Lets a few cases run at a time: their limits are short, and a machine with more to do than it can misses them.
///
/// One for the whole process, because all suites share its cores.
actor ConformanceGate {
    static let shared = ConformanceGate(width: 12)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(width: Int) {
        free = width
    }

    @discardableResult
    nonisolated func pass<Value: Sendable>(_ body: () async -> Value) async -> Value {
        await enter()
        let value = await body()
        await leave()
        return value
    }

    private func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

extension TransportConformance {
    /// Runs a case when it is its turn; one that is known to fail does not get all the time there is to hang.
    func runInTurn(_ conformanceCase: ConformanceCase) async -> ConformanceResult {
        await ConformanceGate.shared.pass {
            guard exception(for: conformanceCase)?.kind == .fails else { return await run(conformanceCase) }
            return await run(conformanceCase, within: min(conformanceCase.timeLimit, .seconds(2)))
        }
    }
}
