/// A figure that has to be reached.
struct Figure: Codable, Equatable, Sendable {
    enum Bound: Codable, Equatable, Sendable {
        case atMost(Double)
        case atLeast(Double)
    }

    let name: String
    /// The measured value; `nil` if there is none, which misses any bound.
    let value: Double?
    let bound: Bound

    init(_ name: String, _ value: Double?, _ bound: Bound) {
        self.name = name
        self.value = value.flatMap { $0.isFinite ? $0 : nil }
        self.bound = bound
    }

    var isMet: Bool {
        guard let value else { return false }
        return switch bound {
        case .atMost(let limit): value <= limit
        case .atLeast(let limit): value >= limit
        }
    }

    var valueText: String { value.map(NumberText.text) ?? "none" }

    var boundText: String {
        switch bound {
        case .atMost(let limit): "at most \(NumberText.text(limit))"
        case .atLeast(let limit): "at least \(NumberText.text(limit))"
        }
    }

    var verdict: String { isMet ? "met" : "MISSED" }
}
