/// The result of a transport in one case.
public struct ConformanceResult: Sendable, CustomStringConvertible {
    /// The verdict on a case.
    public struct Verdict: Hashable, Sendable, CustomStringConvertible {
        /// The name of the verdict.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The verdict on a kept promise.
        public static let kept = Verdict("kept")
        /// The verdict on a broken promise.
        public static let broken = Verdict("broken")
        /// The verdict on a case that did not end within its time limit.
        public static let hung = Verdict("hung")
        /// The verdict on a case that was not tried, for the reason in `seen`.
        public static let skipped = Verdict("skipped")
    }

    /// The case.
    public let conformanceCase: ConformanceCase
    /// The verdict.
    public let verdict: Verdict
    /// The expected behavior.
    public let expected: String
    /// The behavior of this transport.
    public let seen: String
    /// The exception for the case, if there is one.
    public let exception: ConformanceException?
    /// The duration of the case.
    public let duration: Duration

    /// Whether the result is expected: the promise was kept, or an exception allows that it was not.
    ///
    /// The value is `false` if the promise was kept although an exception says that it fails, because the exception is
    /// stale.
    public var isExpected: Bool {
        switch (verdict, exception?.kind) {
        case (.skipped, _): true
        case (.kept, nil), (_, .varies): true
        case (.broken, .fails), (.hung, .fails): true
        default: false
        }
    }

    /// The name, the verdict and the behavior, in one line.
    public var description: String {
        var text = "\(conformanceCase.name): \(verdict)"
        if verdict != .kept { text += " — expected: \(expected); seen: \(seen)" }
        guard let exception else { return text }
        text += isExpected ? " (known: \(exception.reason))" : " (the exception is stale: \(exception.reason))"
        return text
    }
}

/// A known exception of a transport to a case.
public struct ConformanceException: Sendable, Hashable {
    /// The kind of an exception.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The transport always breaks the promise.
        ///
        /// If it keeps it, the exception is stale.
        public static let fails = Kind("fails")
        /// The transport crashes the process.
        ///
        /// `TransportConformance/run(_:)` skips the case, and a child process has to try it.
        public static let traps = Kind("traps")
        /// The transport sometimes keeps the promise.
        public static let varies = Kind("varies")
    }

    /// The name of the case.
    public let caseName: String
    /// The kind of the exception.
    public let kind: Kind
    /// The reason for the exception.
    public let reason: String

    /// Creates an exception.
    public init(_ caseName: String, _ kind: Kind, _ reason: String) {
        self.caseName = caseName
        self.kind = kind
        self.reason = reason
    }
}

/// The results of a transport in all cases, which can be printed as a table.
public struct ConformanceReport: Sendable, CustomStringConvertible {
    /// The results in the order of the cases.
    public let results: [ConformanceResult]
    /// The problems in the list of exceptions.
    public let exceptionProblems: [String]

    /// Whether every result is expected and the list of exceptions has no problem.
    public var isConforming: Bool { exceptionProblems.isEmpty && surprises.isEmpty }

    /// The unexpected results.
    public var surprises: [ConformanceResult] { results.filter { !$0.isExpected } }

    /// A table of the areas, followed by every case whose promise was not kept or whose result was unexpected.
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
            let surprises = results.count { !$0.isExpected }
            return "\(name)  \(kept)/\(results.count) kept" + (surprises > 0 ? ", \(surprises) not as expected" : "")
        }
        for area in areas { lines.append(line("\(area)", results.filter { $0.conformanceCase.area == area })) }
        lines.append(line("all", results))
        lines += results.filter { $0.verdict != .kept || !$0.isExpected }.map { "\($0)" }
        return (lines + exceptionProblems).joined(separator: "\n")
    }
}
