/// How a transport did in every case; print it for a table.
public struct ConformanceReport: Sendable, CustomStringConvertible {
    /// The results in the order of the cases.
    public let results: [ConformanceResult]
    /// What is wrong with the list of exceptions.
    public let exceptionProblems: [String]

    /// Whether every result is the one to be expected and every exception names a case.
    public var isConforming: Bool { exceptionProblems.isEmpty && surprises.isEmpty }

    /// The results that are not the ones to be expected.
    public var surprises: [ConformanceResult] { results.filter { !$0.isAsExpected } }

    /// A table of the areas, and behind it everything that was not simply kept.
    public var description: String {
        var lines: [String] = []
        var areas: [ConformanceCase.Area] = []
        for result in results where !areas.contains(result.conformanceCase.area) {
            areas.append(result.conformanceCase.area)
        }
        let width = (areas.map(\.description.count) + [5]).max() ?? 0
        func line(_ name: String, _ results: [ConformanceResult]) -> String {
            let kept = results.count { $0.verdict == .kept }
            let name = name + String(repeating: " ", count: width - name.count)
            let surprises = results.count { !$0.isAsExpected }
            return "\(name)  \(kept)/\(results.count) kept" + (surprises > 0 ? ", \(surprises) not as expected" : "")
        }
        for area in areas { lines.append(line("\(area)", results.filter { $0.conformanceCase.area == area })) }
        lines.append(line("all", results))
        lines += results.filter { $0.verdict != .kept || !$0.isAsExpected }.map { "\($0)" }
        return (lines + exceptionProblems).joined(separator: "\n")
    }
}
