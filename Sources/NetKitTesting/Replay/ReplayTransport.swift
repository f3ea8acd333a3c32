public import Foundation
public import NetKit

/// A transport that answers from a HAR file: one that `HARRecorder` wrote, or a browser's developer tools.
///
/// ```swift
/// let transport = try ReplayTransport(har: URL(fileURLWithPath: "Fixtures/checkout.har"))
/// let client = HTTPClient(baseURL: base, transport: transport)
/// ```
/// A request is answered by the first entry of its method and URL that was not used yet. The order of query items does not
/// matter, and what the client's `Redaction` knows as secret is masked on both sides before they are compared. Failures that were
/// recorded fail again. A request that no entry answers is `.noStub`, which names the nearest ones.
public final class ReplayTransport: Transport {
    /// What a request has to have in common with the entry that answers it, besides its method.
    public struct Matching: Sendable {
        /// Whether the whole query is left out of account.
        public var ignoresQuery = false
        /// Names of query items that are left out of account.
        public var ignoredQueryItems: Set<String> = []
        /// Whether the body has to be the same; of JSON the value counts, and what is masked in the file is like anything.
        public var comparesBody = false
        /// Whether requests have to come in the order of the file.
        public var isStrict = false
        /// Whether the last entry that answers a request goes on doing so; not in strict order.
        public var reusesLast = false

        /// Makes the usual matching: by method and URL, in any order, each entry once.
        public init() {}
    }

    private struct State {
        var used: [Bool]
        /// How many entries were used, which in strict order is the position of the next.
        var count = 0
    }

    private let entries: [ReplayEntry]
    private let matching: Matching
    private let state: Locked<State>

    /// Makes a transport from a HAR file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - matching: What a request has to have in common with its entry.
    /// - Throws: What reading throws; `.decoding` where the file is no JSON, or has no entries.
    public convenience init(har file: URL, matching: Matching = Matching()) throws {
        try self.init(har: Data(contentsOf: file), matching: matching)
    }

    /// Makes a transport from the bytes of a HAR file.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - matching: What a request has to have in common with its entry.
    /// - Throws: `.decoding` where they are no JSON, or have no entries.
    public init(har data: Data, matching: Matching = Matching()) throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let file = try JSONValue(parsing: data.starts(with: mark) ? Data(data.dropFirst(mark.count)) : data)
        guard let list = file["log"]?["entries"]?.array else {
            throw NetKitError(.decoding, "The file is no HAR: it has no list log.entries.", codingPath: "log.entries")
        }
        entries = try list.enumerated().map { try ReplayEntry($1, number: $0 + 1) }
        self.matching = matching
        state = Locked(State(used: Array(repeating: false, count: list.count)))
    }

    /// What it is, for `explain()`.
    public var summary: String { "ReplayTransport with \(entries.count) entries" }

    /// Method and URL of the entries that answered no request, with the usual secrets masked.
    public var unused: [String] {
        let used = state.withLock { $0.used }
        return zip(entries, used).filter { !$1 }.map { $0.0.line(.standard) }
    }

    /// Gives the answer of the entry that matches.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try Task.checkCancellation()
        var body = Data()
        if let given = request.body {
            for try await chunk in given.chunks { body.append(chunk) }
        }
        context.attempt.noteSent(Int64(body.count))
        let asked = ReplayQuestion(request, body: body, matching, context.call.redaction)
        return try entry(answering: asked).response(to: request.url)
    }

    private func entry(answering asked: ReplayQuestion) throws -> ReplayEntry {
        let misses = entries.map { asked.miss(of: $0) }
        let index = state.withLock { state -> Int? in
            let index = choice(among: misses, state)
            if let index {
                state.used[index] = true
                state.count += 1
            }
            return index
        }
        if let index { return entries[index] }
        throw refusal(of: asked, misses, used: state.withLock { $0.used })
    }

    private func choice(among misses: [ReplayQuestion.Miss?], _ state: State) -> Int? {
        if matching.isStrict {
            return state.count < misses.count && misses[state.count] == nil ? state.count : nil
        }
        let fresh = misses.indices.first { misses[$0] == nil && !state.used[$0] }
        return fresh ?? (matching.reusesLast ? misses.lastIndex { $0 == nil } : nil)
    }

    private func refusal(of asked: ReplayQuestion, _ misses: [ReplayQuestion.Miss?], used: [Bool]) -> NetKitError {
        let start = "The recording has no answer to \(asked.line)"
        if matching.isStrict {
            guard let next = used.firstIndex(of: false) else {
                return NetKitError(.noStub, "\(start): all of its \(entries.count) entries were used.")
            }
            let reason = misses[next]?.reason ?? "it matches"
            let expected = "entry \(next + 1), \(entries[next].line(asked.redaction))"
            return NetKitError(.noStub, "\(start) at this point. Next is \(expected): \(reason).")
        }
        guard misses.allSatisfy({ $0 != nil }) else {
            let count = misses.count { $0 == nil }
            let hint = "Record it once more, or set `reusesLast`."
            return NetKitError(.noStub, "\(start): it was asked \(count) times already, as often as recorded. \(hint)")
        }
        let nearest = entries.indices.sorted { left, right in
            (misses[left]?.distance ?? 0, left) < (misses[right]?.distance ?? 0, right)
        }
        let shown = nearest.prefix(3).map { index in
            "entry \(index + 1), \(entries[index].line(asked.redaction)) (\(misses[index]?.reason ?? ""))"
        }
        guard !shown.isEmpty else { return NetKitError(.noStub, "\(start): it has no entries.") }
        return NetKitError(.noStub, "\(start). The nearest: \(shown.joined(separator: "; ")).")
    }
}
