import Foundation
import Testing

@testable import NetKit

struct PipelineOrderGuideTests {
    @Test func thePageShowsEachStageWithItsReason() throws {
        let rows = try GuidePage("Pipeline-Order").text.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.components(separatedBy: " | ") }
        let expected = Stage.all.map { ["| `\($0)`", $0.cadence, "\($0.reason) |"] }
        #expect(rows.map { [$0[0], $0[1], $0[3]] } == expected)
    }
}
