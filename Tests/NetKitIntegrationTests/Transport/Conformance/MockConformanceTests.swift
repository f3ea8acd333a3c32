import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// `MockTransport` in every case: tests over it see what they would see over a wire.
@Suite(.needsTheMachine)
struct MockConformanceTests {
    private static let conformance = TransportConformance(exceptions: MockExceptions.all) { server in
        MockTransport.answering(from: server)
    }

    @Test(arguments: TransportConformance.cases)
    func keepsItsPromise(_ conformanceCase: ConformanceCase) async {
        let result = await Self.conformance.runBriefly(conformanceCase)
        #expect(result.isExpected, "\(result)")
    }

    @Test func theExceptionsNameCases() {
        #expect(Self.conformance.exceptionProblems == [])
    }
}
