import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of how cases are run and reported.
@Suite(.needsTheMachine)
struct TransportConformanceTests {
    private struct NeverResponds: Transport {
        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            // Ignores cancellation too.
            await Task { try? await NetKitClock.system.sleep(for: .seconds(6)) }.value
            throw NetKitError(.timeout, "Too late.")
        }
    }

    private struct Refuses: Transport {
        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            throw NetKitError(.offline, "No.")
        }
    }

    private struct EndsAsURLSessionDoes: Transport {
        let right = SocketTransport()

        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            do {
                return try await right.send(request, context: context)
            } catch is CancellationError {
                throw URLError(.cancelled)
            }
        }
    }

    private let get: ConformanceCase
    private let post: ConformanceCase

    init() throws {
        get = try #require(TransportConformance.named("method.get"))
        post = try #require(TransportConformance.named("method.post"))
    }

    private func verdict(
        of transport: some Transport,
        _ exceptions: ConformanceException...
    ) async -> (verdict: ConformanceResult.Verdict, isExpected: Bool) {
        let result = await TransportConformance(exceptions: exceptions) { _ in transport }.run(get)
        return (result.verdict, result.isExpected)
    }

    @Test func keptAndBrokenPromisesAreToldApart() async {
        #expect(await verdict(of: SocketTransport()) == (.kept, true))
        #expect(await verdict(of: Refuses()) == (.broken, false))
    }

    @Test func aBrokenPromiseSaysWhatWasExpectedAndSeen() async {
        let result = await TransportConformance { _ in Refuses() }.run(get)
        #expect(result.expected == "GET arrives as it is, without a body.")
        #expect(result.seen == "No. [offline, not sent]")
        #expect("\(result)" == "method.get: broken — expected: \(result.expected); seen: \(result.seen)")
    }

    /// The pipeline takes both errors for a cancellation.
    @Test(arguments: ["cancel.before", "cancel.start"])
    func aTransportMayThrowAURLErrorWhenItIsCancelled(name: String) async throws {
        let conformanceCase = try #require(TransportConformance.named(name))
        let result = await TransportConformance { _ in EndsAsURLSessionDoes() }.run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    @Test func aTransportThatNeverRespondsHangsOnlyItsCase() async {
        let result = await TransportConformance { _ in NeverResponds() }.run(get, within: .milliseconds(100))
        #expect(result.verdict == .hung)
        #expect(!result.isExpected)
        #expect(result.duration < .seconds(5))
    }

    @Test func aTransportThatIsNeverMadeHangsOnlyItsCase() async {
        let conformance = TransportConformance { _ in try await Promise<any Transport>().cancellableValue() }
        let result = await conformance.run(get, within: .milliseconds(100))
        #expect(result.verdict == .hung)
        #expect(!result.isExpected)
    }

    @Test func exceptionsChangeWhatIsExpected() async {
        let fails = ConformanceException("method.get", .fails, "because")
        #expect(await verdict(of: Refuses(), fails) == (.broken, true))
        #expect(await verdict(of: SocketTransport(), fails) == (.kept, false))
        let varies = ConformanceException("method.get", .varies, "because")
        #expect(await verdict(of: Refuses(), varies) == (.broken, true))
        #expect(await verdict(of: SocketTransport(), varies) == (.kept, true))
        let traps = ConformanceException("method.get", .traps, "because")
        #expect(await verdict(of: SocketTransport(), traps) == (.skipped, true))
        let other = ConformanceException("method.post", .fails, "because")
        #expect(await verdict(of: Refuses(), other) == (.broken, false))
    }

    @Test func aStaleExceptionSaysSo() async {
        let exception = ConformanceException("method.get", .fails, "because")
        let result = await TransportConformance(exceptions: [exception]) { _ in SocketTransport() }.run(get)
        #expect("\(result)" == "method.get: kept (the exception is stale: because)")
    }

    /// Otherwise a test whose transport can never be made would pass.
    @Test func aTransportThatCannotBeMadeBreaksItsPromise() async {
        let result = await TransportConformance { _ in throw NetKitError(.unsupported, "Not here.") }.run(get)
        #expect(result.verdict == .broken)
        #expect(!result.isExpected)
        #expect(result.seen == "the trial could not begin: Not here. [unsupported, not sent]")
    }

    @Test func exceptionsThatNameNothingOrTwiceAreProblems() async {
        let exceptions = ["method.get", "method.gone", "method.get"].map {
            ConformanceException($0, .varies, "because")
        }
        let conformance = TransportConformance(exceptions: exceptions) { _ in SocketTransport() }
        let report = await conformance.report(on: [get])
        #expect(
            report.exceptionProblems == [
                "There is no case \"method.gone\" for the exception to name.",
                "There is more than one exception for \"method.get\".",
            ]
        )
        #expect(report.surprises.isEmpty)
        #expect(!report.isConforming)
    }

    @Test(arguments: [1, 2, 8])
    func aReportHasTheOrderOfTheCases(width: Int) async {
        let cases = Array(TransportConformance.cases.prefix(5))
        let report = await TransportConformance(maxConcurrentCases: width) { _ in SocketTransport() }.report(on: cases)
        #expect(report.results.map(\.conformanceCase.name) == cases.map(\.name))
        #expect(report.isConforming)
    }

    @Test func aReportIsATable() async {
        let fails = ConformanceException("method.get", .fails, "because")
        let report = await TransportConformance(exceptions: [fails]) { _ in Refuses() }.report(on: [get, post])
        #expect(
            "\(report)" == """
                methods  0/2 kept, 1 not as expected
                all      0/2 kept, 1 not as expected
                \(report.results[0])
                \(report.results[1])
                """
        )
        #expect("\(report.results[0])".hasSuffix("seen: No. [offline, not sent] (known: because)"))
    }

    @Test func casesHaveNamesThatLast() {
        let names = TransportConformance.cases.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.count >= 200)
        for name in names {
            #expect(name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(name)")
        }
        for promise in TransportConformance.cases.map(\.promise) { #expect(promise.hasSuffix("."), "\(promise)") }
    }
}
