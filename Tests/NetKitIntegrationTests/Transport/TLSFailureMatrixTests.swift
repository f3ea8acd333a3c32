import NetKitTestSupport
import Testing

/// Rows take some 20 ms each. The first one waits for the shared servers to start, and all of them for the processor.
@Suite(.needsTheMachine, .needs(.nginx, .openssl, .curl, .python3))
struct TLSFailureMatrixTests {
    @Test(arguments: TLSFailureMatrix.rows)
    func curlComesToTheSameEnd(row: TLSRow) async throws {
        #expect(try await CurlCommand.outcome(of: row) == row.outcome)
    }

    /// The table is only useful if it contains each reason.
    @Test(arguments: TLSRow.Reason.allCases)
    func hasARowForEachReason(reason: TLSRow.Reason) {
        #expect(TLSFailureMatrix.rows.contains { $0.outcome == .failure(reason) })
    }
}
