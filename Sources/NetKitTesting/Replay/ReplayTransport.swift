public import Foundation
public import NetKit

/// A transport that responds from a HAR file, written by `HARRecorder` or by a browser's developer tools.
///
/// ```swift
/// let transport = try ReplayTransport(har: URL(fileURLWithPath: "Fixtures/checkout.har"))
/// let client = HTTPClient(baseURL: base, transport: transport)
/// ```
/// A request gets the response of the first unused entry with its method and URL. The order of query items does not
/// matter. Values that the client's `Redaction` names as secret are masked on both sides before the comparison.
/// Recorded failures fail again. A request without a matching entry fails with `.noStub`, which names the nearest
/// entries.
public final class ReplayTransport: Transport, CallBound {
    /// The rules by which requests are matched with entries.
    public struct Matching: Sendable {
        /// Whether the whole query is ignored.
        public var ignoresQuery = false
        /// The names of query items that are ignored.
        public var ignoredQueryItems: Set<String> = []
        /// Whether the bodies must match.
        ///
        /// JSON bodies are compared by value. A masked value in the file matches any value. A body that was not
        /// recorded completely, such as that of a file, matches none.
        public var comparesBody = false
        /// Whether requests must arrive in the order of the file.
        public var isStrict = false
        /// Whether the last matching entry responds repeatedly.
        ///
        /// This has no effect in strict order.
        public var reusesLast = false

        /// Creates the default rules: entries match by method and URL, in any order, once each.
        public init() {}
    }

    private struct State {
        var used: [Bool]
        /// The number of used entries, which in strict order is the position of the next one.
        var count = 0
    }

    private let entries: [ReplayEntry]
    private let matching: Matching
    private let state: Locked<State>

    /// Creates a transport from a HAR file.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - matching: The rules by which requests are matched with entries.
    /// - Throws: An error of reading the file, or `.decoding` if it is damaged or not a HAR file.
    public convenience init(har file: URL, matching: Matching = Matching()) throws {
        try self.init(har: Data(contentsOf: file), matching: matching)
    }

    /// Creates a transport from the contents of a HAR file.
    ///
    /// - Parameters:
    ///   - data: The contents of the file.
    ///   - matching: The rules by which requests are matched with entries.
    /// - Throws: `.decoding` if the contents are damaged or not those of a HAR file.
    public init(har data: Data, matching: Matching = Matching()) throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let file = try? JSONValue(parsing: data.starts(with: mark) ? Data(data.dropFirst(mark.count)) : data)
        guard let list = file?["log"]?["entries"]?.array else {
            let problem = file == nil ? "it is not JSON" : "it has no list log.entries"
            throw NetKitError(
                .decoding,
                "The file is not a HAR file: \(problem). Record one with `HARRecorder`, or save one in a browser.",
                codingPath: "log.entries"
            )
        }
        entries = try list.enumerated().map { try ReplayEntry($1, number: $0 + 1) }
        self.matching = matching
        state = Locked(State(used: Array(repeating: false, count: list.count)))
    }

    /// The name of the transport for `explain()`.
    public var summary: String { "ReplayTransport with \(entries.count) entries" }

    /// The methods and URLs of the unused entries, with the standard secrets masked.
    public var unused: [String] {
        let used = state.withLock { $0.used }
        return zip(entries, used).filter { !$1 }.map { $0.0.line(.standard) }
    }

    /// Returns the response of the matching entry.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let body = try await context.endingWithCall { try await request.body?.collected() ?? Data() }
        context.attempt.noteSent(Int64(body.count))
        let asked = ReplayRequest(request, body: body, matching, context.call.redaction)
        return try entry(matching: asked).response(to: request.url)
    }

    private func entry(matching asked: ReplayRequest) throws -> ReplayEntry {
        let mismatches = entries.map { asked.mismatch(of: $0) }
        let index = state.withLock { state -> Int? in
            let index = choice(among: mismatches, state)
            if let index {
                state.used[index] = true
                state.count += 1
            }
            return index
        }
        if let index { return entries[index] }
        throw refusal(of: asked, mismatches, used: state.withLock { $0.used })
    }

    private func choice(among mismatches: [ReplayRequest.Mismatch?], _ state: State) -> Int? {
        if matching.isStrict {
            return state.count < mismatches.count && mismatches[state.count] == nil ? state.count : nil
        }
        let fresh = mismatches.indices.first { mismatches[$0] == nil && !state.used[$0] }
        return fresh ?? (matching.reusesLast ? mismatches.lastIndex { $0 == nil } : nil)
    }

    private func refusal(of asked: ReplayRequest, _ mismatches: [ReplayRequest.Mismatch?], used: [Bool]) -> NetKitError
    {
        let start = "The recording has no response to \(asked.line)"
        if matching.isStrict {
            guard let next = used.firstIndex(of: false) else {
                return NetKitError(.noStub, "\(start): all of its \(entries.count) entries were used.")
            }
            let reason = mismatches[next]?.reason ?? "it matches"
            let expected = "entry \(next + 1), \(entries[next].line(asked.redaction))"
            return NetKitError(.noStub, "\(start) at this point. Next is \(expected): \(reason).")
        }
        guard mismatches.allSatisfy({ $0 != nil }) else {
            let count = mismatches.count { $0 == nil }
            let hint = "Record it again, or set `reusesLast`."
            return NetKitError(
                .noStub,
                "\(start): it was already requested \(count == 1 ? "once" : "\(count) times"), as often as recorded. \(hint)"
            )
        }
        let ranked = entries.indices.map { index in
            let line = entries[index].line(asked.redaction)
            return (mismatches[index]?.distance ?? 0, Self.difference(asked.line.utf8, line.utf8), index, line)
        }
        let shown = ranked.sorted(by: <).prefix(3).map { _, _, index, line in
            "entry \(index + 1), \(line) (\(mismatches[index]?.reason ?? ""))"
        }
        guard !shown.isEmpty else { return NetKitError(.noStub, "\(start): it has no entries.") }
        return NetKitError(.noStub, "\(start). The nearest: \(shown.joined(separator: "; ")).")
    }

    /// Returns the number of bytes from the first to the last difference of two lines.
    ///
    /// The number of edits would cost the square of the length, for each entry of the file.
    private static func difference(_ left: String.UTF8View, _ right: String.UTF8View) -> Int {
        let start = zip(left, right).prefix { $0 == $1 }.count
        let (left, right) = (left.dropFirst(start), right.dropFirst(start))
        let end = zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
        return max(left.count, right.count) - end
    }
}
