public import Foundation

/// Records exchanges as they go over the wire, in the format that browsers' developer tools open (HAR 1.2).
///
/// ```swift
/// let recorder = HARRecorder(bodyLimit: 64 << 10)
/// let client = HTTPClient(baseURL: base, interceptors: .standard + [recorder])
/// …
/// try await recorder.write(to: URL(fileURLWithPath: "calls.har"))
/// ```
/// Every attempt and every redirect is an entry of its own, written when its answer's body has ended; what a cache answers is
/// none. What the client's `Redaction` names as secret is masked, in bodies that are JSON or a form too. One recorder may stand
/// in the lists of several clients. `ReplayTransport` of `NetKitTesting` answers from such a file.
public final class HARRecorder: InspectableInterceptor, EndsWithCall {
    /// How many bytes of a body are recorded; nil for none.
    ///
    /// Answers are copied while their reader gets them. Requests made of bytes are recorded, those of files and streams not,
    /// and nothing of requests whose `requiresAuth` is false: what signs in is secret on both ways.
    public let bodyLimit: Int?
    /// How many entries are kept at most.
    public let entryLimit: Int
    /// How many bytes all entries have at most, as they are written.
    public let byteLimit: Int

    /// An exchange that is over, as it is written.
    struct Entry: Sendable {
        /// When it began, in microseconds since 1970.
        let start: Int64
        let text: String
    }

    private struct State {
        var entries: [Entry] = []
        var byteCount = 0
        var droppedCount = 0
    }

    private let state = Locked(State())
    private let notes: [String]

    /// Makes a recorder.
    ///
    /// - Parameters:
    ///   - bodyLimit: How many bytes of a body are recorded; nil for none.
    ///   - entryLimit: How many entries are kept, 1 to 1,000,000; the oldest makes room.
    ///   - byteLimit: How many bytes all entries have, 64 KiB to 1 GiB; the oldest makes room.
    public init(bodyLimit: Int? = nil, entryLimit: Int = 1000, byteLimit: Int = 32 << 20) {
        var check = SettingCheck()
        self.bodyLimit = bodyLimit.map { check.count("bodyLimit", $0, in: 0...(1 << 30)) }
        self.entryLimit = check.count("entryLimit", entryLimit, in: 1...1_000_000)
        self.byteLimit = check.count("byteLimit", byteLimit, in: (64 << 10)...(1 << 30))
        notes = check.notes
    }

    /// Right beside the wire.
    public var stage: Stage { .wire }

    /// How much is kept.
    public var summary: String {
        "HAR: at most \(entryLimit) exchanges, \(bodyLimit.map { "bodies up to \($0) bytes" } ?? "no bodies")"
    }

    /// Names a limit that was moved into its range.
    public func warnings(in client: ClientInspection) -> [String] { notes.map { "HAR: \($0)" } }

    /// How many entries there are.
    public var count: Int { state.withLock { $0.entries.count } }

    /// How many entries had to make room since the beginning.
    public var droppedCount: Int { state.withLock { $0.droppedCount } }

    /// Forgets what was recorded; exchanges that are not over are still recorded when they end.
    public func reset() {
        state.withLock { $0 = State() }
    }

    /// What was recorded, as a HAR file.
    public func data() -> Data {
        let (entries, dropped) = state.withLock { ($0.entries, $0.droppedCount) }
        let list = entries.orderedByNumber(\.start).map(\.text).joined(separator: ",\n")
        let comment = dropped > 0 ? ",\"comment\":\"\(dropped) older entries made room.\",\"_dropped\":\(dropped)" : ""
        let creator = "\"creator\":{\"name\":\"NetKit\",\"version\":\"0.1\"}"
        return Data("{\"log\":{\"version\":\"1.2\",\(creator)\(comment),\"entries\":[\n\(list)\n]}}\n".utf8)
    }

    /// Writes what was recorded to a file: it is there whole or not at all.
    ///
    /// - Parameter file: Where the file is to be; its folder has to exist.
    /// - Throws: `.file` where the disk refuses.
    public func write(to file: URL) async throws {
        try await ResponseBody(data()).save(to: file)
    }

    /// Passes the request on, and records the exchange when it is over.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        let exchange = HARExchange(request, context, bodyLimit: bodyLimit)
        do {
            var response = try await next(request, context)
            let head = exchange.head(of: response)
            guard exchange.showsBodies, response.body.buffered == nil else {
                let bytes = exchange.showsBodies ? response.body.buffered : nil
                response.onEnd { [self] end in add(exchange.entry(head, body: bytes, end)) }
                return response
            }
            let copy = HARBodyCopy(response.body, limit: bodyLimit ?? 0)
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
            state.entries.append(entry)
            state.byteCount += entry.text.utf8.count
            while state.entries.count > entryLimit || state.byteCount > byteLimit, let oldest = state.entries.first {
                state.entries.removeFirst()
                state.byteCount -= oldest.text.utf8.count
                state.droppedCount += 1
            }
        }
    }
}

/// A body on its way to the caller whose first part is kept.
final class HARBodyCopy: ResponseBodySource {
    /// What was read, up to the limit.
    let kept = Kept()
    private let body: ResponseBody
    private let limit: Int

    /// Bytes that outlive the body.
    final class Kept: Sendable {
        private let data = Locked(Data())

        var bytes: Data { data.withLock { $0 } }

        func append(_ chunk: Data, upTo limit: Int) {
            data.withLock { $0.append(chunk.prefix(max(0, limit - $0.count))) }
        }
    }

    init(_ body: ResponseBody, limit: Int) {
        // Nobody else reads it from here on.
        _ = body.state.take()
        self.body = body
        self.limit = limit
    }

    var trailers: HTTPHeaders? { body.trailers }

    func next() async throws -> Data? {
        guard let chunk = try await body.state.next() else { return nil }
        kept.append(chunk, upTo: limit)
        return chunk
    }

    func cancel(_ reason: any Error) { body.cancel(reason) }
}
