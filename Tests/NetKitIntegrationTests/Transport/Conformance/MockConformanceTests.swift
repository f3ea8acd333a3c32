import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of `MockTransport` with every case, so that tests over it see the same as over a wire.
@Suite(.needsTheMachine)
struct MockConformanceTests {
    private static let conformance = TransportConformance(exceptions: MockExceptions.all) { server in
        MockTransport.responding(from: server)
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
