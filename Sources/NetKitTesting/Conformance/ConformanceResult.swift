/// How a transport did in one case.
public struct ConformanceResult: Sendable, CustomStringConvertible {
    /// What came out.
    public struct Verdict: Hashable, Sendable, CustomStringConvertible {
        /// The name of the verdict.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The promise was kept.
        public static let kept = Verdict("kept")
        /// The promise was broken.
        public static let broken = Verdict("broken")
        /// The case did not end within its time limit.
        public static let hung = Verdict("hung")
        /// The case was not tried, for the reason that `seen` gives.
        public static let skipped = Verdict("skipped")
    }

    /// The case.
    public let conformanceCase: ConformanceCase
    /// What came out.
    public let verdict: Verdict
    /// What a good transport does.
    public let expected: String
    /// What this transport did.
    public let seen: String
    /// The exception for the case, if there is one.
    public let exception: ConformanceException?
    /// How long the case took.
    public let duration: Duration

    /// Whether the result is the one to be expected: kept, or not kept where an exception says so.
    ///
    /// A promise that is kept in spite of an exception that says it fails is not: the exception is stale.
    public var isAsExpected: Bool {
        switch (verdict, exception?.kind) {
        case (.skipped, _): true
        case (.kept, nil), (_, .varies): true
        case (.broken, .fails), (.hung, .fails): true
        default: false
        }
    }

    /// Name, verdict and what was seen, in a line.
    public var description: String {
        var text = "\(conformanceCase.name): \(verdict)"
        if verdict != .kept { text += " — expected: \(expected); seen: \(seen)" }
        guard let exception else { return text }
        text += isAsExpected ? " (known: \(exception.reason))" : " (the exception is stale: \(exception.reason))"
        return text
    }
}

/// A case that a transport is known not to keep, by name and with the reason.
public struct ConformanceException: Sendable, Hashable {
    /// What the transport does in the case.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// It breaks the promise every time; a run that keeps it shows that the exception is stale.
        public static let fails = Kind("fails")
        /// It ends the process; `TransportConformance/run(_:)` leaves the case out, and a child process has to show it.
        public static let traps = Kind("traps")
        /// It keeps the promise at times.
        public static let varies = Kind("varies")
    }

    /// The name of the case.
    public let caseName: String
    /// What the transport does.
    public let kind: Kind
    /// Why.
    public let reason: String

    /// Makes an exception.
    public init(_ caseName: String, _ kind: Kind, _ reason: String) {
        self.caseName = caseName
        self.kind = kind
        self.reason = reason
    }
}

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

/// What ends a case: a promise that was not kept, or a case that cannot be tried here.
enum ConformanceFailure: Error {
    case broken(expected: String, seen: String)
    case notPossible(String)
}
