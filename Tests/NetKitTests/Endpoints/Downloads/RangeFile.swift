import Foundation
import NetKit

/// A file on a server that responds to ranges as in RFC 9110, and breaks off on command.
final class RangeFile: Sendable {
    struct State {
        var content: Data
        var tag: String?
        var modified: Date?
        /// The number of bytes of each response before the connection is lost, the first one first.
        var cuts: [Int] = []
        /// Responses of another kind, the first one first; nil is the normal one.
        var others: [(@Sendable (HTTPRequest) throws -> HTTPResponse)?] = []
        var requests: [HTTPRequest] = []
    }

    let state: Locked<State>

    init(_ content: Data, tag: String? = "\"one\"", modified: Date? = nil, cuts: [Int] = []) {
        state = Locked(State(content: content, tag: tag, modified: modified, cuts: cuts))
    }

    var ranges: [String?] { state.withLock { $0.requests.map { $0.headers["Range"] } } }
    var conditions: [String?] { state.withLock { $0.requests.map { $0.headers["If-Range"] } } }

    var transport: ScriptedTransport { ScriptedTransport { request, _ in try self.response(to: request) } }

    private func response(to request: HTTPRequest) throws -> HTTPResponse {
        let (state, other, cut) = state.withLock { state in
            state.requests.append(request)
            let other = state.others.isEmpty ? nil : state.others.removeFirst()
            return (state, other, state.cuts.isEmpty ? nil : state.cuts.removeFirst())
        }
        if let other { return try other(request) }
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        var headers: HTTPHeaders = ["Date": HTTPDate.format(date), "Accept-Ranges": "bytes"]
        if let tag = state.tag { headers["ETag"] = tag }
        let modified = state.modified.map { HTTPDate.format($0) }
        if let modified { headers["Last-Modified"] = modified }
        let condition = request.headers["If-Range"]
        let isSame = condition == nil || condition == state.tag || condition == modified
        let start = request.headers["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
        guard let start, isSame else { return Self.response(200, headers, state.content, cut) }
        guard start < state.content.count else { return HTTPResponse(status: 416, headers: headers) }
        let count = state.content.count
        headers["Content-Range"] = "bytes \(start)-\(count - 1)/\(count)"
        return Self.response(206, headers, state.content.dropFirst(start), cut)
    }

    /// Returns a response whose body ends early at the cut.
    static func response(_ status: HTTPStatus, _ headers: HTTPHeaders, _ content: Data, _ cut: Int?) -> HTTPResponse {
        let whole = Data(content)
        guard let cut else { return HTTPResponse(status: status, headers: headers, body: ResponseBody(whole)) }
        let lost = NetKitError(.connectionLost, "The connection was lost.", outcome: .answered)
        let source = ScriptedSource(cut > 0 ? [whole.prefix(cut)] : [], error: lost)
        let body = ResponseBody(length: Int64(whole.count), source: source)
        return HTTPResponse(status: status, headers: headers, body: body)
    }
}
