import Testing

@testable import NetKit

struct HedgeScoreTests {
    typealias Score = HedgeScore<String>

    private static func text(_ decision: Score.Decision) -> String {
        switch decision {
        case .wait: "wait"
        case .deliver(let outcome, let discarded): "deliver \(outcome)" + (discarded.map { ", discard \($0)" } ?? "")
        case .discard(let outcome): "discard \(outcome)"
        }
    }

    struct Row: Sendable {
        let hasSecond: Bool
        let ends: [(String, Score.Quality)]
        let decisions: [String]
    }

    @Test(arguments: [
        Row(hasSecond: false, ends: [("a", .good)], decisions: ["deliver a"]),
        Row(hasSecond: false, ends: [("a", .badResponse)], decisions: ["deliver a"]),
        Row(hasSecond: false, ends: [("a", .failure)], decisions: ["deliver a"]),
        Row(hasSecond: true, ends: [("a", .good), ("b", .good)], decisions: ["deliver a", "discard b"]),
        Row(hasSecond: true, ends: [("a", .badResponse), ("b", .good)], decisions: ["wait", "deliver b, discard a"]),
        Row(hasSecond: true, ends: [("a", .failure), ("b", .good)], decisions: ["wait", "deliver b, discard a"]),
        Row(
            hasSecond: true,
            ends: [("a", .failure), ("b", .badResponse)],
            decisions: ["wait", "deliver b, discard a"]
        ),
        Row(
            hasSecond: true,
            ends: [("a", .badResponse), ("b", .failure)],
            decisions: ["wait", "deliver a, discard b"]
        ),
        Row(hasSecond: true, ends: [("a", .failure), ("b", .failure)], decisions: ["wait", "deliver a, discard b"]),
        Row(
            hasSecond: true,
            ends: [("a", .badResponse), ("b", .badResponse)],
            decisions: ["wait", "deliver a, discard b"]
        ),
    ])
    func theFirstGoodOneWinsElseTheBetterOne(row: Row) {
        var score = Score()
        if row.hasSecond { #expect(score.startSecond() == true) }
        #expect(row.ends.map { Self.text(score.finish($0.0, $0.1)) } == row.decisions)
        #expect(score.isDecided)
        #expect(score.startSecond() == false)
    }

    @Test func anUnwantedPermitIsReturned() {
        var score = Score()
        _ = score.startSecond()
        _ = score.finish("a", .badResponse)
        #expect(score.abandon() == "a")
        #expect(score.abandon() == nil)
        #expect(Self.text(score.finish("b", .good)) == "discard b")
    }
}
