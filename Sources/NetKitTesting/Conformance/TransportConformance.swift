public import NetKit

/// Puts a transport through every promise that `Transport` makes, against a real server that misbehaves as told.
///
/// ```swift
/// let conformance = TransportConformance { _ in MyTransport() }
///
/// @Test(arguments: TransportConformance.cases)
/// func keepsItsPromise(_ conformanceCase: ConformanceCase) async {
///     let result = await conformance.run(conformanceCase)
///     #expect(result.isAsExpected, "\(result)")
/// }
/// ```
/// Each run has a server of its own. The limits in time that cases try are short, and a machine with more to do than it
/// can would miss them: however many runs are begun at once, a few at a time are made.
public struct TransportConformance: Sendable {
    /// Every case, area by area.
    public static let cases: [ConformanceCase] =
        ConformanceCase.methodCases + ConformanceCase.requestBodyCases + ConformanceCase.requestHeadCases
        + ConformanceCase.targetCases + ConformanceCase.deliveryCases + ConformanceCase.answerHeadCases
        + ConformanceCase.statusCases + ConformanceCase.answerBodyCases + ConformanceCase.brokenAnswerCases
        + ConformanceCase.redirectCases + ConformanceCase.challengeCases + ConformanceCase.memoryCases
        + ConformanceCase.limitCases + ConformanceCase.cancellationCases + ConformanceCase.connectionCases
        + ConformanceCase.extraByteCases + ConformanceCase.backPressureCases + ConformanceCase.outcomeCases

    private let exceptions: [ConformanceException]
    private let gate: ConformanceGate
    private let makeTransport: @Sendable (MockServer) async throws -> any Transport

    /// Describes what is to be tried.
    ///
    /// - Parameters:
    ///   - exceptions: The cases that the transport is known not to keep.
    ///   - width: How many cases are tried at a time.
    ///   - makeTransport: Makes the transport for a case, or gives one that serves them all. The server is for transports
    ///     that answer in the process instead of connecting to it.
    public init(
        exceptions: [ConformanceException] = [],
        atOnce width: Int = 6,
        makeTransport: @escaping @Sendable (MockServer) async throws -> any Transport
    ) {
        self.exceptions = exceptions
        gate = ConformanceGate(width: width)
        self.makeTransport = makeTransport
    }

    /// The case of a name.
    public static func named(_ name: String) -> ConformanceCase? { cases.first { $0.name == name } }

    /// The exception for a case, if there is one.
    public func exception(for conformanceCase: ConformanceCase) -> ConformanceException? {
        exceptions.first { $0.caseName == conformanceCase.name }
    }

    /// What is wrong with the exceptions: those that name no case, and those that name one twice.
    public var exceptionProblems: [String] {
        var seen: Set<String> = []
        return exceptions.compactMap { exception in
            let name = exception.caseName
            if Self.named(name) == nil { return "There is no case \"\(name)\" for the exception to name." }
            return seen.insert(name).inserted ? nil : "There is more than one exception for \"\(name)\"."
        }
    }

    /// Tries one case; it ends, whatever the transport does, unless it blocks every thread of the process.
    public func run(_ conformanceCase: ConformanceCase) async -> ConformanceResult {
        await run(conformanceCase, within: conformanceCase.timeLimit)
    }

    /// Tries one case with a time limit of its own, for tests of the cases themselves.
    package func run(_ conformanceCase: ConformanceCase, within limit: Duration) async -> ConformanceResult {
        await gate.pass { await result(of: conformanceCase, within: limit) }
    }

    private func result(of conformanceCase: ConformanceCase, within limit: Duration) async -> ConformanceResult {
        let exception = exception(for: conformanceCase)
        let start = ContinuousClock.now
        let promise = conformanceCase.promise
        let (verdict, expected, seen) =
            exception?.kind == .traps
            ? (.skipped, promise, "the transport ends its process here; run the case in a child")
            : await outcome(of: conformanceCase, within: limit).verdict(on: promise, within: limit)
        return ConformanceResult(
            conformanceCase: conformanceCase,
            verdict: verdict,
            expected: expected,
            seen: seen,
            exception: exception,
            duration: ContinuousClock.now - start
        )
    }

    /// Tries cases, and gives the results in their order.
    public func report(on cases: [ConformanceCase] = Self.cases) async -> ConformanceReport {
        let results = await withTaskGroup(of: (Int, ConformanceResult).self) { group in
            for (index, conformanceCase) in cases.enumerated() {
                group.addTask { (index, await run(conformanceCase)) }
            }
            return await group.reduce(into: [Int: ConformanceResult]()) { $0[$1.0] = $1.1 }
        }
        return ConformanceReport(
            results: cases.indices.compactMap { results[$0] },
            exceptionProblems: exceptionProblems
        )
    }

    private func outcome(of conformanceCase: ConformanceCase, within limit: Duration) async -> FirstOutcome.Outcome {
        let server: MockServer
        let transport: any Transport
        do {
            server = try MockServer()
            transport = try await makeTransport(server)
        } catch {
            return .ended(.failure(ConformanceFailure.notPossible("the trial could not begin: \(error)")))
        }
        defer { server.stop() }
        return await FirstOutcome.of(within: limit) {
            try await conformanceCase.body(ConformanceTrial(server: server, transport: transport))
        }
    }
}

/// Lets a few pass at a time, in the order they came.
package actor ConformanceGate {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(width: Int) {
        free = max(1, width)
    }

    /// Does something when its turn has come.
    package nonisolated func pass<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter()
        do {
            let value = try await body()
            await leave()
            return value
        } catch {
            await leave()
            throw error
        }
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
