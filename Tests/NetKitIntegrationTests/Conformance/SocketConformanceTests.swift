import NetKit
import NetKitTesting
import Testing

/// A transport that keeps every promise keeps every case: none asks for what cannot be done.
@Suite(.timeLimit(.minutes(2)))
struct SocketConformanceTests {
    private static let conformance = TransportConformance { _ in SocketTransport() }

    @Test(arguments: TransportConformance.cases)
    func keepsItsPromise(_ conformanceCase: ConformanceCase) async {
        let result = await Self.conformance.runInTurn(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }
}
