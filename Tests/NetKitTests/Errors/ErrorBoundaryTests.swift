import Foundation
import Testing

@testable import NetKit

struct ErrorBoundaryTests {
    private struct Odd: Error {}

    private func translated(_ error: any Error, _ outcome: NetKitError.Outcome = .unknown) throws -> NetKitError {
        try #require(ErrorBoundary.outward(error, outcome: outcome) as? NetKitError)
    }

    @Test func leavesItsOwnErrorsAlone() throws {
        let inner = NetKitError(.closed, "Closed.", outcome: .notSent).attaching(requestLine: "GET /", attempts: 4)
        let outer = try translated(inner, .answered)
        #expect(outer.code == .closed)
        #expect(outer.outcome == .notSent)
        #expect(outer.attempts == 4)
    }

    @Test func leavesCancellationAlone() {
        #expect(ErrorBoundary.outward(CancellationError(), outcome: .unknown) is CancellationError)
    }

    @Test func takesACancelledURLErrorForCancellation() {
        #expect(ErrorBoundary.outward(URLError(.cancelled), outcome: .unknown) is CancellationError)
    }

    @Test(arguments: [.notSent, .unknown, .answered] as [NetKitError.Outcome])
    func usesTheOutcomeOfTheExchangeIfTheCodeIsVague(_ outcome: NetKitError.Outcome) throws {
        let error = try translated(URLError(.networkConnectionLost), outcome)
        #expect(error.code == .connectionLost)
        #expect(error.outcome == outcome)
    }

    @Test(arguments: [.notSent, .unknown, .answered] as [NetKitError.Outcome])
    func usesTheOutcomeOfTheCodeIfItIsCertain(_ outcome: NetKitError.Outcome) throws {
        #expect(try translated(URLError(.cannotFindHost), outcome).outcome == .notSent)
        #expect(try translated(URLError(.httpTooManyRedirects), outcome).outcome == .answered)
    }

    @Test func namesTheFileOfAFileErrorAndTheRemedy() throws {
        let file = FileError(operation: "open", path: "/a", code: 2, reason: "No such file")
        let error = try translated(file, .answered)
        #expect(error.code == .file)
        #expect(error.message == "Could not open \"/a\": No such file. Check the path.")
        #expect(error.outcome == .answered)
        #expect(error.cause as? FileError == file)
    }

    @Test func keepsAnyOtherErrorAsTheCause() throws {
        let error = try translated(Odd(), .notSent)
        #expect(error.code == .custom)
        #expect(error.outcome == .notSent)
        #expect(error.cause is Odd)
        #expect(error.message.contains("ErrorBoundaryTests"))
        #expect(error.message.contains("Odd was thrown inside the pipeline; see `cause`."))
    }

    /// Swift prints a type within a function or a file with an address, which differs in every process.
    @Test func namesALocalTypeWithoutAnAddress() throws {
        struct Local: Error {}
        let message = try translated(Local()).message
        #expect(message.hasSuffix(".Local was thrown inside the pipeline; see `cause`."))
        #expect(!message.contains("unknown context"))
    }

    @Test func doesNotShowTheMessageOfAnUnknownError() throws {
        let secret = NSError(domain: "d", code: 1, userInfo: [NSLocalizedDescriptionKey: "s3cret"])
        let error = try translated(secret)
        #expect(error.code == .custom)
        #expect(!error.description.contains("s3cret"))
    }
}
