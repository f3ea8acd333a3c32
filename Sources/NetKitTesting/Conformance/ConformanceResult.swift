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
