extension Pipeline {
    /// Returns a description of the chain, with one line for each interceptor.
    ///
    /// The first line of each stage also says how often the stage runs, and the reason for its position.
    public func explain() -> String {
        var rows: [[String]] = []
        for stage in Stage.all {
            for (position, interceptor) in interceptors.filter({ $0.stage == stage }).enumerated() {
                let isFirst = position == 0
                rows.append([
                    isFirst ? stage.description : "",
                    interceptor.summary,
                    isFirst ? "once per \(stage.cadence): \(stage.reason)" : "",
                ])
            }
        }
        for (position, listener) in listeners.enumerated() {
            let reason = position == 0 ? "receives events; not a link of the chain" : ""
            rows.insert([position == 0 ? "events" : "", listener.summary, reason], at: position)
        }
        rows.append(["transport", transport.summary, "one exchange on the wire"])
        return Self.table(rows)
    }

    private static func table(_ rows: [[String]]) -> String {
        let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let padded = row.enumerated().map { column, text in
                column < 2 ? text + String(repeating: " ", count: widths[column] - text.count) : text
            }
            var line = padded.joined(separator: "  ")
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
        .joined(separator: "\n")
    }
}

extension Pipeline {
    /// Returns diagnostics about settings that conflict with each other, without repetitions.
    func warnings(_ client: ClientInspection) -> [String] {
        var seen = Set<String>()
        return
            (client.timeouts.warnings
            + (interceptors + listeners).flatMap { ($0 as? any InspectableInterceptor)?.warnings(in: client) ?? [] })
            .map { NetKitError.oneLine($0, limit: 400) }
            .filter { seen.insert($0).inserted }
    }
}

extension Timeouts {
    /// Diagnostics about limits that contradict each other.
    var warnings: [String] {
        guard let total, let attempt, total < attempt else { return [] }
        return [
            "timeouts.total (\(total.shortText)) is shorter than timeouts.attempt (\(attempt.shortText)): "
                + "a first attempt that hangs leaves no time for a second. Lower timeouts.attempt."
        ]
    }
}
