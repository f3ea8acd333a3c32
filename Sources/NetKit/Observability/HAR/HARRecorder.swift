public import Foundation

/// Records exchanges in the HAR 1.2 format, which browsers' developer tools can open.
///
/// ```swift
/// let recorder = HARRecorder(maxBodyBytes: 64 << 10)
/// let client = HTTPClient(baseURL: base, interceptors: .standard + [recorder])
/// …
/// try await recorder.write(to: URL(fileURLWithPath: "calls.har"))
/// ```
/// Every attempt and every redirect is a separate entry, added when the response's body has ended. Responses from a
/// cache are not recorded. Values that the client's `Redaction` names as secret are masked, including those in JSON and
/// form bodies. Several clients can share one recorder. `ReplayTransport` in `NetKitTesting` responds from such a file.
public final class HARRecorder: InspectableInterceptor, CallBound {
    /// The maximum number of bytes recorded of each body, or `nil` to record no bodies.
    ///
    /// Response bodies are copied while they are read. Request bodies made of bytes are recorded; files and streams are
    /// not. No body is recorded for requests whose `requiresAuth` is `false`, because sign-in requests and their
    /// responses are secret.
    public let maxBodyBytes: Int?
    /// The maximum number of entries kept.
    public let maxEntries: Int
    /// The maximum size of all entries together, in bytes.
    public let maxBytes: Int

    /// An ended exchange in its written form.
    struct Entry: Sendable {
        /// The start of the exchange, in microseconds since 1970.
        let start: Int64
        let text: String
    }

    private struct State: ~Copyable {
        /// The entries, after the places of some that were dropped.
        private var places: [Entry] = []
        private var first = 0
        private(set) var byteCount = 0
        private(set) var droppedCount = 0

        var entries: ArraySlice<Entry> { places[first...] }

        mutating func add(_ entry: Entry) {
            places.append(entry)
            byteCount += entry.text.utf8.count
        }

        mutating func noteDropped() { droppedCount += 1 }

        mutating func dropOldest() {
            byteCount -= places[first].text.utf8.count
            noteDropped()
            places[first] = Entry(start: 0, text: "")
            first += 1
            // Removing each place by itself would move all entries each time.
            if first > 32, first * 2 > places.count {
                places.removeFirst(first)
                first = 0
            }
        }
    }

    private let state = Locked(State())
    private let notes: [String]

    /// Creates a recorder.
    ///
    /// If a limit is exceeded, the oldest entries are dropped. An entry that alone exceeds `maxBytes` is dropped
    /// instead of the others. Values outside their ranges are clamped, and `explain()` reports it.
    ///
    /// - Parameters:
    ///   - maxBodyBytes: The maximum number of bytes recorded of each body, or `nil` to record no bodies.
    ///   - maxEntries: The maximum number of entries, 1 to 1,000,000.
    ///   - maxBytes: The maximum size of all entries together, 64 KiB to 1 GiB.
    public init(maxBodyBytes: Int? = nil, maxEntries: Int = 1000, maxBytes: Int = 32 << 20) {
        var check = SettingCheck()
        self.maxBodyBytes = maxBodyBytes.map { check.count("maxBodyBytes", $0, in: 0...(1 << 30)) }
        self.maxEntries = check.count("maxEntries", maxEntries, in: 1...1_000_000)
        self.maxBytes = check.count("maxBytes", maxBytes, in: (64 << 10)...(1 << 30))
        notes = check.notes
    }

    /// The `.wire` stage, next to the transport.
    public var stage: Stage { .wire }

    /// A description of the limits.
    public var summary: String {
        "HAR: at most \(maxEntries) exchanges, \(maxBodyBytes.map { "bodies up to \($0) bytes" } ?? "no bodies")"
    }

    /// Returns diagnostics about clamped limits, and about a recorder that is in the list twice.
    public func warnings(in client: ClientInspection) -> [String] {
        notes.map { "HAR: \($0)" } + client.warnings(ifRepeated: self, "Every exchange would be recorded each time.")
    }

    /// The number of entries.
    public var count: Int { state.withLock { $0.entries.count } }

    /// The number of entries that were dropped because of a limit.
    public var droppedCount: Int { state.withLock { $0.droppedCount } }

    /// Removes all entries.
    ///
    /// Running exchanges are still recorded when they end.
    public func reset() {
        state.withLock { $0 = State() }
    }

    /// Returns the entries as a HAR file.
    public func data() -> Data {
        let (entries, dropped) = state.withLock { ($0.entries, $0.droppedCount) }
        let list = entries.orderedByNumber(\.start).map(\.text).joined(separator: ",\n")
        let comment = dropped > 0 ? ",\"comment\":\"\(dropped) entries found no room.\",\"_dropped\":\(dropped)" : ""
        let creator = "\"creator\":{\"name\":\"NetKit\",\"version\":\"0.1\"}"
        return Data("{\"log\":{\"version\":\"1.2\",\(creator)\(comment),\"entries\":[\n\(list)\n]}}\n".utf8)
    }

    /// Writes the entries to a HAR file, atomically.
    ///
    /// Only the user of the process can read the file.
    ///
    /// - Parameter file: The URL of the file, whose folder has to exist.
    /// - Throws: `.file` if the file cannot be written.
    public func write(to file: URL) async throws {
        _ = try await FileSaver(destination: file, permissions: 0o600).save(ResponseBody(data()))
    }

    /// Forwards the request and records the exchange when it has ended.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        let exchange = HARExchange(request, context, maxBodyBytes: maxBodyBytes)
        do {
            var response = try await next(request, context)
            let head = exchange.head(of: response)
            guard exchange.showsBodies, response.body.buffered == nil else {
                let bytes = exchange.showsBodies ? response.body.buffered : nil
                response.onEnd { [self] end in add(exchange.entry(head, body: bytes, end)) }
                return response
            }
            let copy = HARBodyCopy(response.body, limit: maxBodyBytes ?? 0)
            let kept = copy.kept
            response.body = ResponseBody(length: response.body.length, source: copy)
            response.onEnd { [self] end in add(exchange.entry(head, body: kept.bytes, end)) }
            return response
        } catch {
            add(exchange.entry(error))
            throw error
        }
    }

    private func add(_ entry: Entry) {
        state.withLock { state in
            // Every other entry would be dropped first, and then this one as well.
            guard entry.text.utf8.count <= maxBytes else { return state.noteDropped() }
            state.add(entry)
            while state.entries.count > maxEntries || state.byteCount > maxBytes { state.dropOldest() }
        }
    }
}

/// A body that records its first part while the caller reads it.
final class HARBodyCopy: WrappingBodySource {
    /// The bytes that were read, up to the limit.
    let kept = Kept()
    let body: ResponseBody
    private let limit: Int

    /// A buffer that outlives the body.
    final class Kept: Sendable {
        private let data = Locked(Data())

        var bytes: Data { data.withLock { $0 } }

        func append(_ chunk: Data, upTo limit: Int) {
            data.withLock { $0.append(chunk.prefix(max(0, limit - $0.count))) }
        }
    }

    init(_ body: ResponseBody, limit: Int) {
        // From here on, only this copy reads the body.
        _ = body.state.take()
        self.body = body
        self.limit = limit
    }

    func next() async throws -> Data? {
        guard let chunk = try await body.state.next() else { return nil }
        kept.append(chunk, upTo: limit)
        return chunk
    }
}
