import Testing

@testable import NetKit

struct HedgeScoreTests {
    typealias Score = HedgeScore

    /// An outcome that has a name; a score does not look into outcomes.
    private struct Named: Error {
        let name: String
    }

    private static func name(of outcome: Score.Outcome) -> String {
        if case .failure(let error as Named) = outcome { error.name } else { "a response" }
    }

    private static func text(_ decision: Score.Decision) -> String {
        switch decision {
        case .wait: "wait"
        case .deliver(let outcome, let discarded):
            "deliver \(name(of: outcome))" + (discarded.map { ", discard \(name(of: $0))" } ?? "")
        case .discard(let outcome): "discard \(name(of: outcome))"
        case .readAhead(let outcome, _): "read \(name(of: outcome))"
        }
    }

    /// Finishes an attempt once.
    private static func end(
        _ score: inout Score,
        _ name: String,
        _ quality: Score.Quality,
        isReadAhead: Bool = false
    ) -> Score.Decision {
        score.finish(.failure(Named(name: name)), quality, isReadAhead: isReadAhead)
    }

    /// Finishes an attempt, whose bad response is read ahead if it has to be.
    private static func finish(_ score: inout Score, _ name: String, _ quality: Score.Quality) -> Score.Decision {
        let decision = end(&score, name, quality)
        guard case .readAhead = decision else { return decision }
        return end(&score, name, quality, isReadAhead: true)
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
        Row(
            hasSecond: true,
            ends: [("a", .failure), ("b", .refusedChange)],
            decisions: ["wait", "deliver a, discard b"]
        ),
        Row(
            hasSecond: true,
            ends: [("a", .refusedChange), ("b", .failure)],
            decisions: ["wait", "deliver b, discard a"]
        ),
        Row(
            hasSecond: true,
            ends: [("a", .refusedChange), ("b", .refusal)],
            decisions: ["wait", "deliver a, discard b"]
        ),
        Row(hasSecond: true, ends: [("a", .failure), ("b", .failure)], decisions: ["wait", "deliver a, discard b"]),
        Row(hasSecond: true, ends: [("a", .refusal), ("b", .failure)], decisions: ["wait", "deliver b, discard a"]),
        Row(
            hasSecond: true,
            ends: [("a", .badResponse), ("b", .badResponse)],
            decisions: ["wait", "deliver a, discard b"]
        ),
    ])
    func theFirstGoodOneWinsElseTheBetterOne(row: Row) {
        var score = Score()
        if row.hasSecond { #expect(score.startSecond() == true) }
        #expect(row.ends.map { Self.text(Self.finish(&score, $0.0, $0.1)) } == row.decisions)
        #expect(score.isDecided)
        #expect(score.startSecond() == false)
    }

    /// It is told while the response is read ahead, or later.
    @Test(arguments: [false, true])
    func aResponseThatIsTooLongToKeepIsDeliveredAtOnce(isEarly: Bool) {
        var score = Score()
        _ = score.startSecond()
        #expect(Self.text(Self.end(&score, "a", .badResponse)) == "read a")
        if isEarly { #expect(Self.text(score.finishWithKept()) == "wait") }
        let decision = Self.end(&score, "a", .badResponse, isReadAhead: true)
        #expect(Self.text(isEarly ? decision : score.finishWithKept()) == "deliver a")
        #expect(Self.text(Self.end(&score, "b", .good)) == "discard b")
    }

    @Test func anAbandonedScoreReturnsItsKeptResponseOnce() {
        var score = Score()
        _ = score.startSecond()
        _ = Self.finish(&score, "a", .badResponse)
        #expect(score.abandon().map(Self.name(of:)) == "a")
        #expect(score.abandon() == nil)
        #expect(Self.text(Self.end(&score, "b", .good)) == "discard b")
    }

    /// The other attempt fails while the response is read ahead.
    @Test func aResponseThatIsTooLongToKeepIsBetterThanAFailure() {
        var score = Score()
        _ = score.startSecond()
        #expect(Self.text(Self.end(&score, "a", .badResponse)) == "read a")
        #expect(Self.text(Self.end(&score, "b", .failure)) == "wait")
        #expect(Self.text(score.finishWithKept()) == "wait")
        #expect(Self.text(Self.end(&score, "a", .badResponse, isReadAhead: true)) == "deliver a, discard b")
    }
}
