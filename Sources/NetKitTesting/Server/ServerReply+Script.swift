package import Foundation
import NetKit

/// The steps of a reply on the wire.
extension ServerReply {
    /// The bytes of a response and the ends of its parts.
    private struct Wire {
        var bytes = Data()
        var statusLineEnd = 0
        var headEnd = 0
        /// The end of the content, before the end of a chunked body.
        var contentEnd = 0
        /// A large body that is not copied into `bytes`.
        var separateBody: Data?
    }

    private static let largeBody = 64 << 10

    /// Returns the steps of the reply to a request.
    package func script(for request: ServerRequest) -> [ServerStep] {
        let wire = wire(for: request)
        var events = incidents.map { (offset: offset(of: $0.moment, in: wire), step: $0.step) }
        if let bytesMissing { events.append((max(wire.headEnd, wire.contentEnd - bytesMissing), .close)) }
        if closes { events.append((wire.bytes.count, .close)) }
        if let body = wire.separateBody {
            return [.send(wire.bytes), .send(body)] + (closes ? [.close] : [])
        }
        // Sorting is stable, so incidents at the same moment stay in their order.
        events.sort { $0.offset < $1.offset }
        var steps: [ServerStep] = []
        var sent = 0
        for event in events {
            if event.offset > sent { steps.append(.send(wire.bytes[sent..<event.offset])) }
            sent = max(sent, event.offset)
            steps.append(event.step)
            if event.step.isLast { return steps }
        }
        if sent < wire.bytes.count { steps.append(.send(wire.bytes[sent...])) }
        return steps
    }

    private func offset(of moment: Moment, in wire: Wire) -> Int {
        let offset =
            switch moment.place {
            case .start: 0
            case .statusLine: preface.count + max(1, (wire.statusLineEnd - preface.count) / 2)
            case .headers: wire.statusLineEnd + max(1, (wire.headEnd - wire.statusLineEnd) / 2)
            case .body(let count): wire.headEnd + min(max(0, count), wire.bytes.count - wire.headEnd)
            case .end: wire.bytes.count
            }
        // A raw response may end before.
        return min(offset, wire.bytes.count)
    }

    private func wire(for request: ServerRequest) -> Wire {
        var wire = Wire(bytes: preface)
        if case .raw(let bytes) = body {
            wire.bytes.append(bytes)
            let response = wire.bytes[preface.count...]
            wire.statusLineEnd = (response.firstIndex(of: 10) ?? wire.bytes.count - 1) + 1
            let blank = response.firstRange(of: Data("\r\n\r\n".utf8)) ?? response.firstRange(of: Data("\n\n".utf8))
            wire.headEnd = blank?.upperBound ?? wire.bytes.count
            wire.contentEnd = wire.bytes.count
            return wire
        }
        let end = lineEnding.bytes
        wire.bytes.append(contentsOf: (statusLine ?? "HTTP/1.1 \(status.code) \(status.reasonPhrase)").utf8)
        wire.bytes.append(contentsOf: end)
        wire.statusLineEnd = wire.bytes.count
        for line in typeLines + lines {
            wire.bytes.append(line)
            wire.bytes.append(contentsOf: end)
        }
        for line in framingLines + connectionLines(for: request) {
            wire.bytes.append(contentsOf: line.utf8)
            wire.bytes.append(contentsOf: end)
        }
        wire.bytes.append(contentsOf: end)
        wire.headEnd = wire.bytes.count
        wire.contentEnd = wire.bytes.count
        if hasBody, request.method != .head { appendBody(to: &wire) }
        return wire
    }

    private var hasBody: Bool { status != 204 && status != 304 && !(100..<200).contains(status.code) }

    private var typeLines: [Data] {
        guard let contentType, !hasLine("content-type") else { return [] }
        return [Data("Content-Type: \(contentType)".utf8)]
    }

    private var framingLines: [String] {
        guard hasBody, !hasLine("content-length"), !hasLine("transfer-encoding") else { return [] }
        switch body {
        case .none: return ["Content-Length: 0"]
        case .whole(let data): return ["Content-Length: \(data.count)"]
        case .chunked(_, let trailers):
            let names = trailers.map(\.name).joined(separator: ", ")
            return (names.isEmpty ? [] : ["Trailer: \(names)"]) + ["Transfer-Encoding: chunked"]
        case .brokenChunk: return ["Transfer-Encoding: chunked"]
        case .untilClose, .raw: return []
        }
    }

    private func connectionLines(for request: ServerRequest) -> [String] {
        if hasLine("connection") { return [] }
        if closes || !request.keepsAlive { return ["Connection: close"] }
        return request.isVersion11 ? [] : ["Connection: keep-alive"]
    }

    private func hasLine(_ name: String) -> Bool {
        lines.contains { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return false }
            return String(decoding: line[..<colon], as: UTF8.self).lowercased() == name
        }
    }

    private func appendBody(to wire: inout Wire) {
        switch body {
        case .none, .raw: break
        case .whole(let data), .untilClose(let data):
            if data.count > Self.largeBody, incidents.isEmpty, bytesMissing == nil {
                wire.separateBody = data
            } else {
                wire.bytes.append(data)
            }
            wire.contentEnd = wire.bytes.count
        case .chunked(let chunks, let trailers):
            for chunk in chunks where !chunk.isEmpty { append(chunk, to: &wire) }
            wire.bytes.append(contentsOf: "0\r\n".utf8)
            for field in trailers { wire.bytes.append(contentsOf: "\(field.name): \(field.value)\r\n".utf8) }
            wire.bytes.append(contentsOf: "\r\n".utf8)
        case .brokenChunk(let chunk):
            append(chunk, to: &wire)
            wire.bytes.append(contentsOf: "no size\r\nno chunk\r\n".utf8)
        }
    }

    private func append(_ chunk: Data, to wire: inout Wire) {
        wire.bytes.append(contentsOf: "\(String(chunk.count, radix: 16))\r\n".utf8)
        wire.bytes.append(chunk)
        wire.contentEnd = wire.bytes.count
        wire.bytes.append(contentsOf: "\r\n".utf8)
    }
}

/// One step of a reply's script.
package enum ServerStep: Sendable {
    case send(Data)
    case pause(Duration)
    /// Waits for the server's `release()`.
    case stall
    case close
    case reset
    /// Waits for the first byte of the next request, and closes without reading it.
    case closeOnNextRequest
    /// Sends bytes repeatedly until the connection ends.
    case `repeat`(Data)

    /// Whether no further step follows.
    var isLast: Bool {
        switch self {
        case .send, .pause, .stall: false
        case .close, .reset, .closeOnNextRequest, .repeat: true
        }
    }
}
