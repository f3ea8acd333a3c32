import Foundation
import NetKit
import NetKitTesting
import Testing

/// `URLSessionTransport` in every case; where it may end the process, in a process of its own.
@Suite(.timeLimit(.minutes(3)))
struct URLSessionConformanceTests {
    private static let conformance = TransportConformance(exceptions: URLSessionExceptions.all) { _ in
        URLSessionTransport()
    }

    /// Children wait for their turn in the parent.
    private static let children = ConformanceGate(width: 3)

    private static let trapping = Set(URLSessionExceptions.all.filter { $0.kind == .traps }.map(\.caseName))

    @Test(arguments: TransportConformance.cases.filter { !$0.isRisky })
    func keepsItsPromise(_ conformanceCase: ConformanceCase) async {
        let result = await Self.conformance.runBriefly(conformanceCase)
        #expect(result.isAsExpected, "\(result)")
    }

    @Test(arguments: TransportConformance.cases.filter { $0.isRisky && !trapping.contains($0.name) })
    func keepsItsPromiseInAProcessOfItsOwn(_ conformanceCase: ConformanceCase) async {
        guard Self.conformance.exception(for: conformanceCase)?.kind != .varies else {
            // What varies may trap at times.
            return await withKnownIssue(isIntermittent: true) { await Self.judgeInAChild(conformanceCase.name) }
        }
        await Self.judgeInAChild(conformanceCase.name)
    }

    private static func judgeInAChild(_ name: String) async {
        let child = await Self.children.pass {
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [name = name as String] in
                try await Self.runAndExit(name, on: Self.conformance)
            }
        }
        // A child that trapped has failed above, and there is none.
        guard let child else { return }
        let words = String(decoding: child.standardErrorContent, as: UTF8.self)
        #expect(words.contains(Self.asExpected), "\(words)")
    }

    /// The process is seen to end: an exception that is out of date fails here.
    @Test(arguments: TransportConformance.cases.filter { trapping.contains($0.name) })
    func endsTheProcessAsTheExceptionSays(_ conformanceCase: ConformanceCase) async {
        let name = conformanceCase.name
        _ = await Self.children.pass {
            await #expect(processExitsWith: .failure) { [name = name as String] in
                try await Self.runAndExit(name, on: TransportConformance { _ in URLSessionTransport() })
            }
        }
    }

    @Test func theExceptionsNameCases() {
        #expect(Self.conformance.exceptionProblems == [])
    }

    private static let asExpected = "As expected.\n"

    /// Runs a case and ends the process, with the result on standard error.
    private static func runAndExit(_ name: String, on conformance: TransportConformance) async throws {
        let conformanceCase = try #require(TransportConformance.named(name))
        // A process that hangs whatever the case's own limit does is ended by the system.
        _ = alarm(60)
        let result = await conformance.runBriefly(conformanceCase)
        let words = result.isAsExpected ? asExpected : "\(result)\n"
        FileHandle.standardError.write(Data(words.utf8))
        exit(EXIT_SUCCESS)
    }
}
