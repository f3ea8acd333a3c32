public import NetKit

/// Tests a transport against every promise of `Transport`, with a real server that misbehaves.
///
/// ```swift
/// let conformance = TransportConformance { _ in MyTransport() }
///
/// @Test(arguments: TransportConformance.cases)
/// func passes(_ conformanceCase: ConformanceCase) async {
///     let result = await conformance.run(conformanceCase)
///     #expect(result.isExpected, "\(result)")
/// }
/// ```
/// Each run has a separate server. Only a few cases run at the same time, because the cases use short timeouts, which a
/// busy machine would miss.
public struct TransportConformance: Sendable {
    /// All cases, by area.
    public static let cases: [ConformanceCase] =
        ConformanceCase.methodCases + ConformanceCase.requestBodyCases + ConformanceCase.requestHeadCases
        + ConformanceCase.targetCases + ConformanceCase.deliveryCases + ConformanceCase.responseHeadCases
        + ConformanceCase.statusCases + ConformanceCase.responseBodyCases + ConformanceCase.brokenResponseCases
        + ConformanceCase.redirectCases + ConformanceCase.challengeCases + ConformanceCase.memoryCases
        + ConformanceCase.limitCases + ConformanceCase.cancellationCases + ConformanceCase.connectionCases
        + ConformanceCase.extraByteCases + ConformanceCase.backPressureCases + ConformanceCase.outcomeCases

    private let exceptions: [ConformanceException]
    private let gate: ConformanceGate
    private let makeTransport: @Sendable (MockServer) async throws -> any Transport

    /// Creates the tests of a transport.
    ///
    /// - Parameters:
    ///   - exceptions: The known exceptions of the transport.
    ///   - maxConcurrentCases: The maximum number of concurrent cases.
    ///   - makeTransport: A closure that returns the transport for a case, which may be shared by all cases. The server
    ///     is for transports that respond in the process instead of connecting to it.
    public init(
        exceptions: [ConformanceException] = [],
        maxConcurrentCases: Int = 6,
        makeTransport: @escaping @Sendable (MockServer) async throws -> any Transport
    ) {
        self.exceptions = exceptions
        gate = ConformanceGate(width: maxConcurrentCases)
        self.makeTransport = makeTransport
    }

    /// Returns the case with a name.
    public static func named(_ name: String) -> ConformanceCase? { cases.first { $0.name == name } }

    /// Returns the exception for a case, if there is one.
    public func exception(for conformanceCase: ConformanceCase) -> ConformanceException? {
        exceptions.first { $0.caseName == conformanceCase.name }
    }

    /// The exceptions that name no case or the same case as another one.
    public var exceptionProblems: [String] {
        var seen: Set<String> = []
        return exceptions.compactMap { exception in
            let name = exception.caseName
            if Self.named(name) == nil { return "There is no case \"\(name)\" for the exception to name." }
            return seen.insert(name).inserted ? nil : "There is more than one exception for \"\(name)\"."
        }
    }

    /// Tries one case.
    ///
    /// The run always ends, unless the transport blocks every thread of the process.
    public func run(_ conformanceCase: ConformanceCase) async -> ConformanceResult {
        await run(conformanceCase, within: conformanceCase.timeLimit)
    }

    /// Tries one case with another time limit, for tests of the cases themselves.
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

    /// Tries cases and returns the results in their order.
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

    private func outcome(of conformanceCase: ConformanceCase, within limit: Duration) async -> FirstOutcome {
        @Sendable func failure(_ error: any Error) -> ConformanceFailure {
            .broken(expected: conformanceCase.promise, seen: "the trial could not begin: \(error)")
        }
        let server: MockServer
        do { server = try MockServer() } catch { return .ended(.failure(failure(error))) }
        defer { server.stop() }
        return await FirstOutcome.of(within: limit) {
            let transport: any Transport
            do { transport = try await makeTransport(server) } catch { throw failure(error) }
            try await conformanceCase.body(ConformanceTrial(server: server, transport: transport))
        }
    }
}

/// A semaphore that lets a number of operations run at a time, in order of arrival.
package actor ConformanceGate {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(width: Int) {
        free = max(1, width)
    }

    /// Runs an operation when there is a free place.
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
