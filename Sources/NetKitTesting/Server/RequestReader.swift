import Foundation
import NetKit

/// A reader of the requests on a connection.
struct RequestReader {
    private static let maxHeadBytes = 1 << 20

    private let socket: ServerSocket
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)
    private var start = 0
    private var end = 0
    /// The start of the head.
    private var headStart = 0

    /// The rate in bytes per second at which bodies are read, or `nil` for no limit.
    var bytesPerSecond: Int?

    init(_ socket: ServerSocket) {
        self.socket = socket
    }

    /// Whether received bytes are still unread.
    var hasUnreadBytes: Bool { start < end }

    /// Reads a request line.
    mutating func readRequestLine() throws(RequestFailure) -> ServerRequest {
        moveToFront()
        // RFC 9112 (2.2): empty lines before a request are skipped.
        var line = try readLine()
        while line.isEmpty { line = try readLine() }
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw .malformed("the request line is not `method target version`")
        }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw .malformed("the version is neither HTTP/1.1 nor HTTP/1.0")
        }
        guard parts[0].allSatisfy(RequestSyntax.isToken) else { throw .malformed("the method is not a token") }
        let target = String(decoding: parts[1], as: UTF8.self)
        return ServerRequest(
            method: HTTPMethod(String(decoding: parts[0], as: UTF8.self)),
            target: target,
            version: version,
            path: RequestSyntax.path(of: target),
            rawHead: Data(buffer[headStart..<start])
        )
    }

    /// Reads the header that follows a request line.
    mutating func readHeader(of request: inout ServerRequest) throws(RequestFailure) {
        request.headers = try readFields()
        request.rawHead = Data(buffer[headStart..<start])
    }

    /// Reads the body that the header announces.
    mutating func readBody(of request: inout ServerRequest) throws(RequestFailure) {
        switch try RequestSyntax.framing(of: request) {
        case .none: break
        case .length(let count): try readBytes(count, into: &request.body)
        case .chunked:
            while true {
                moveToFront()
                let size = try RequestSyntax.chunkSize(readLine())
                if size == 0 { break }
                try readBytes(size, into: &request.body)
                guard try readLine().isEmpty else { throw .malformed("a chunk is longer than its size says") }
            }
            request.trailers = try readFields()
        }
    }

    private mutating func readFields() throws(RequestFailure) -> HTTPHeaders {
        var fields: [HTTPHeaders.Field] = []
        while true {
            let line = try readLine()
            if line.isEmpty { return HTTPHeaders(fields) }
            fields.append(try RequestSyntax.field(line))
        }
    }

    /// Reads the next line without its end.
    ///
    /// It stays in the buffer for the exact bytes of the head.
    private mutating func readLine() throws(RequestFailure) -> ArraySlice<UInt8> {
        var searched = start
        while true {
            if let feed = buffer[searched..<end].firstIndex(of: UInt8(ascii: "\n")) {
                let hasReturn = feed > start && buffer[feed - 1] == UInt8(ascii: "\r")
                let line = buffer[start..<(hasReturn ? feed - 1 : feed)]
                if line.isEmpty, start == headStart { headStart = feed + 1 }
                start = feed + 1
                return line
            }
            searched = end
            guard end - headStart < Self.maxHeadBytes else { throw .malformed("the head is longer than 1 MiB") }
            try receive()
        }
    }

    private mutating func readBytes(_ count: Int, into data: inout Data) throws(RequestFailure) {
        var missing = count
        while missing > 0 {
            if start == end {
                (start, end, headStart) = (0, 0, 0)
                try receive()
            }
            let taken = min(missing, end - start)
            data.append(contentsOf: buffer[start..<start + taken])
            start += taken
            missing -= taken
            if let bytesPerSecond { _ = socket.wait(for: .seconds(Double(taken) / Double(bytesPerSecond))) }
        }
    }

    private mutating func moveToFront() {
        if start == end {
            (start, end) = (0, 0)
        } else if start > 0 {
            buffer.replaceSubrange(0..<(end - start), with: Array(buffer[start..<end]))
            (start, end) = (0, end - start)
        }
        headStart = 0
    }

    private mutating func receive() throws(RequestFailure) {
        if end == buffer.count { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
        let (offset, socket) = (end, socket)
        let limit = bytesPerSecond.map { max(1, $0 / 20) } ?? .max
        let count = buffer.withUnsafeMutableBytes { bytes in
            let room = UnsafeMutableRawBufferPointer(rebasing: bytes[offset...].prefix(limit))
            return socket.receive(into: room)
        }
        guard count > 0 else { throw .connectionEnded }
        end += count
    }
}

/// The reason why a request could not be read.
enum RequestFailure: Error {
    /// The connection ended.
    case connectionEnded
    /// The bytes are not an HTTP request. The response with status 400 contains the reason.
    case malformed(String)
}
