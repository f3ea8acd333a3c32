import NetKit

/// A chart of the parts of an exchange, with one bar below the other.
struct TimingWaterfall {
    private struct Bar {
        let name: String
        let start: Duration
        let end: Duration
    }

    private static let names: [ClientEvent.Kind: String] = [
        .nameResolved: "name", .connected: "connect", .secured: "TLS", .firstByte: "wait",
    ]

    private let bars: [Bar]

    /// Creates the bars from the known timings of an exchange and its total duration.
    init(_ timings: ExchangeTimings, duration: Duration) {
        let ends =
            timings.parts.map { (Self.names[$0.kind] ?? $0.kind.description, $0.duration) } + [("body", duration)]
        var start = Duration.zero
        bars = ends.map { name, end in
            defer { start = max(start, end) }
            return Bar(name: name, start: start, end: max(start, end))
        }
    }

    /// Returns a line for each part, with its name, its bar on the common scale, and its duration.
    func lines(width: Int) -> [String] {
        let whole = bars.last?.end ?? .zero
        let room = max(10, min(60, width - 24))
        func column(_ time: Duration) -> Int {
            whole > .zero ? Int((time / whole * Double(room)).rounded()) : 0
        }
        return bars.map { bar in
            let (start, end) = (min(column(bar.start), room - 1), column(bar.end))
            let length = max(1, end - start)
            let line = String(repeating: " ", count: start) + String(repeating: "=", count: length)
            let name = bar.name + String(repeating: " ", count: max(0, 8 - bar.name.count))
            let rest = String(repeating: " ", count: max(0, room - start - length))
            return "\(name)|\(line)\(rest)| \((bar.end - bar.start).millisecondsText)"
        }
    }
}

extension Duration {
    /// The duration in milliseconds or, if it is longer, in seconds, with one decimal place.
    var millisecondsText: String {
        formatted(.units(allowed: [.seconds, .milliseconds], width: .narrow, fractionalPart: .show(length: 1)))
    }
}
