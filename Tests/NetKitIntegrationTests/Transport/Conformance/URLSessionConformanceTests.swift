import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of `URLSessionTransport` with every case; a case that may end the process runs in a process of its own.
@Suite(.needsTheMachine)
struct URLSessionConformanceTests {
    private static let conformance = TransportConformance(exceptions: URLSessionExceptions.all) { _ in
        URLSessionTransport()
    }

    private static let trapping = Set(URLSessionExceptions.all.filter { $0.kind == .traps }.map(\.caseName))

    private static let risky = TransportConformance.cases.filter { $0.isRisky && !trapping.contains($0.name) }

    @Test(arguments: TransportConformance.cases.filter { !$0.isRisky })
    func keepsItsPromise(_ conformanceCase: ConformanceCase) async {
        let result = await Self.conformance.runBriefly(conformanceCase)
        #expect(result.isExpected, "\(result)")
    }

    @Test(.inAProcessOfItsOwn, arguments: risky)
    func keepsItsPromiseInAProcessOfItsOwn(_ conformanceCase: ConformanceCase) async throws {
        guard Self.conformance.exception(for: conformanceCase)?.kind != .varies else {
            // A case that varies may trap at times.
            return await withKnownIssue(isIntermittent: true) { try await Self.judgeInAChild(conformanceCase.name) }
        }
        try await Self.judgeInAChild(conformanceCase.name)
    }

    private static func judgeInAChild(_ name: String) async throws {
        let folder = try TemporaryFolder()
        let child = await #expect(processExitsWith: .success) {
            [name = name as String, path = folder.file("result").path() as String] in
            try await Self.runAndExit(name, on: Self.conformance, resultTo: path)
        }
        // A child that trapped has failed above, and left no result.
        guard child != nil else { return }
        let words = try String(contentsOf: folder.file("result"), encoding: .utf8)
        #expect(words == Self.asExpected)
    }

    /// The process has to end, so that an outdated exception fails here.
    @Test(.inAProcessOfItsOwn, arguments: TransportConformance.cases.filter { trapping.contains($0.name) })
    func endsTheProcessAsTheExceptionSays(_ conformanceCase: ConformanceCase) async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .failure) {
            [name = conformanceCase.name as String, path = folder.file("result").path() as String] in
            try await Self.runAndExit(name, on: TransportConformance { _ in URLSessionTransport() }, resultTo: path)
        }
        #expect(try folder.names == [], "the case ended")
    }

    @Test func theExceptionsNameCases() {
        #expect(Self.conformance.exceptionProblems == [])
    }

    private static let asExpected = "As expected."

    /// Runs a case and ends the process, with the result in a file.
    private static func runAndExit(
        _ name: String,
        on conformance: TransportConformance,
        resultTo path: String
    ) async throws {
        let conformanceCase = try #require(TransportConformance.named(name))
        // The system ends a process that hangs despite the case's own limit.
        _ = alarm(60)
        let result = await conformance.runBriefly(conformanceCase)
        let words = result.isExpected ? asExpected : "\(result)"
        try Data(words.utf8).writeUnsynced(to: URL(fileURLWithPath: path))
        exit(EXIT_SUCCESS)
    }
}
