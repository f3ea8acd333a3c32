import Foundation
import NetKit

/// The source of the bytes of a response; nil is the end of the connection.
protocol ByteSource: Sendable {
    func read() async throws -> Data?
}

/// Reads one response in HTTP/1.1, simply and strictly.
actor HTTP1ResponseReader {
    struct Head: Sendable {
        var status: HTTPStatus
        var headers: HTTPHeaders
        var length: Int64?
    }

    private enum Framing {
        case bytes(Int)
        case chunked
        case untilClose
        case done
    }

    private static let maximumHead = 512 << 10

    private let source: any ByteSource
    private let method: HTTPMethod
    private var buffer = Data()
    private var framing = Framing.done
    private var isFirstChunk = true
    private(set) var trailers: HTTPHeaders?
    private var keepsAlive = false

    init(_ source: any ByteSource, method: HTTPMethod) {
        self.source = source
        self.method = method
    }

    /// Whether the response has ended and another request may follow on its connection.
    var leavesConnectionClean: Bool {
        if case .done = framing { keepsAlive && buffer.isEmpty } else { false }
    }

    var isOver: Bool {
        if case .done = framing { true } else { false }
    }

    /// Reads the head of the response, and skips informational ones before it.
    func readHead() async throws -> Head {
        while true {
            let statusLine = try await readStatusLine()
            let headers = try await readFields()
            guard !(100..<200).contains(statusLine.status.code) else { continue }
            let head = try head(statusLine.status, headers)
            let options = headers.values(of: "Connection").joined(separator: ",").lowercased()
            keepsAlive = statusLine.isVersion11 && !options.contains("close")
            if case .untilClose = framing { keepsAlive = false }
            return head
        }
    }

    /// Returns the next part of the body; nil at its end.
    func nextChunk() async throws -> Data? {
        switch framing {
        case .done: return nil
        case .untilClose:
            if let rest = try await takeAny() { return rest }
            framing = .done
            return nil
        case .bytes(let missing):
            guard let part = try await takeAny(upTo: missing) else { throw Self.cut }
            framing = part.count == missing ? .done : .bytes(missing - part.count)
            return part
        case .chunked: return try await readChunk()
        }
    }

    private func readChunk() async throws -> Data? {
        if chunkRest == 0 {
            if !isFirstChunk, try await !readLine().isEmpty { throw Self.invalid("a chunk is longer than its size") }
            isFirstChunk = false
            let line = String(decoding: try await readLine(), as: UTF8.self)
            let digits = line.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
            guard digits.allSatisfy(\.isHexDigit), let size = Int(digits, radix: 16) else {
                throw Self.invalid("a chunk size is no number")
            }
            if size == 0 {
                trailers = try await readFields()
                framing = .done
                return nil
            }
            chunkRest = size
        }
        guard let part = try await takeAny(upTo: chunkRest) else { throw Self.cut }
        chunkRest -= part.count
        return part
    }

    private var chunkRest = 0

    private func head(_ status: HTTPStatus, _ headers: HTTPHeaders) throws -> Head {
        let lengths = Set(headers.values(of: "Content-Length"))
        var length: Int64?
        if let text = lengths.first {
            guard lengths.count == 1, text.allSatisfy(\.isNumber), let number = Int64(text) else {
                throw Self.invalid("Content-Length is no number")
            }
            length = number
        }
        if method == .head || status == 204 || status == 304 {
            framing = .done
            length = 0
        } else if let coding = headers["Transfer-Encoding"] {
            guard coding.lowercased() == "chunked" else { throw Self.invalid("an unknown transfer coding") }
            framing = .chunked
            length = nil
        } else if let length {
            framing = length == 0 ? .done : .bytes(Int(length))
        } else {
            framing = .untilClose
        }
        return Head(status: status, headers: headers, length: length)
    }

    private func readStatusLine() async throws -> (status: HTTPStatus, isVersion11: Bool) {
        while buffer.count < 5 {
            guard try await fill() else {
                throw Data("HTTP/".utf8).starts(with: buffer) ? Self.cut : Self.invalid("no HTTP")
            }
        }
        guard buffer.starts(with: Data("HTTP/".utf8)) else { throw Self.invalid("no HTTP") }
        let line = String(decoding: try await readLine(), as: UTF8.self)
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[1].count == 3, let code = Int(parts[1]) else {
            throw Self.invalid("the status line is none")
        }
        return (HTTPStatus(code), parts[0] == "HTTP/1.1")
    }

    private func readFields() async throws -> HTTPHeaders {
        var fields: [HTTPHeaders.Field] = []
        var size = 0
        while true {
            let line = try await readLine()
            if line.isEmpty { return HTTPHeaders(fields) }
            size += line.count
            guard size < Self.maximumHead else { throw Self.invalid("the header is too long") }
            let text = String(decoding: line, as: UTF8.self)
            if text.first == " " || text.first == "\t", let last = fields.popLast() {
                fields.append(.init(last.name, last.value + " " + text.trimmingCharacters(in: .whitespaces)))
                continue
            }
            guard let colon = text.firstIndex(of: ":") else { throw Self.invalid("a line is no field") }
            let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            fields.append(.init(String(text[..<colon]), value))
        }
    }

    private func readLine() async throws -> Data {
        var searched = 0
        while true {
            if let feed = buffer.dropFirst(searched).firstIndex(of: 10) {
                var line = buffer[buffer.startIndex..<feed]
                if line.last == 13 { line.removeLast() }
                buffer = Data(buffer[(feed + 1)...])
                return line
            }
            searched = buffer.count
            guard buffer.count < Self.maximumHead else { throw Self.invalid("a line is too long") }
            guard try await fill() else { throw Self.cut }
        }
    }

    private func takeAny(upTo limit: Int = .max) async throws -> Data? {
        if buffer.isEmpty {
            guard try await fill() else { return nil }
        }
        let part = Data(buffer.prefix(limit))
        buffer = Data(buffer.dropFirst(limit))
        return part
    }

    private func fill() async throws -> Bool {
        guard let bytes = try await source.read() else { return false }
        buffer.append(bytes)
        return true
    }

    private static var cut: NetKitError {
        NetKitError(.connectionLost, "The connection ended before the response was complete.", outcome: .unknown)
    }

    private static func invalid(_ what: String) -> NetKitError {
        NetKitError(.invalidResponse, "The response is not HTTP: \(what).", outcome: .unknown)
    }
}
