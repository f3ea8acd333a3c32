public import Foundation
import NetKit

/// A generator of malformed responses, which are repeatable for the same seed and number.
///
/// Each response starts as one of several valid ones and gets one to four changes: bytes are flipped, removed, doubled
/// or swapped, lengths and chunk sizes are replaced, lines are repeated or removed, and control characters and odd
/// tokens are inserted. Then the connection is closed, reset or left open.
public struct ResponseFuzzer: Sendable {
    /// The seed of the responses.
    public let seed: UInt64

    /// Creates a generator.
    public init(seed: UInt64) {
        self.seed = seed
    }

    /// Returns the reply with a number.
    public func reply(_ number: Int) -> ServerReply {
        var random = random(for: number)
        let reply = ServerReply.raw(bytes(using: &random))
        switch random.next() % 10 {
        case 0..<5: return reply.closing(at: .end)
        case 5: return reply.resetting(at: .end)
        default: return reply
        }
    }

    /// Returns the bytes of the reply with a number.
    public func bytes(_ number: Int) -> Data {
        var random = random(for: number)
        return bytes(using: &random)
    }

    private func random(for number: Int) -> RandomSource {
        .seeded(seed &* 1_000_003 &+ UInt64(truncatingIfNeeded: number))
    }

    private func bytes(using random: inout RandomSource) -> Data {
        var bytes = Self.validResponses[Int.random(in: 0..<Self.validResponses.count, using: &random)]
        for _ in 0..<Int.random(in: 1...4, using: &random) { Self.change(&bytes, using: &random) }
        return Data(bytes)
    }

    // MARK: - Changes

    private static func change(_ bytes: inout [UInt8], using random: inout RandomSource) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let length = min(Int.random(in: 1...16, using: &random), bytes.count - place)
        switch random.next() % 10 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes[place] ^= 1 << UInt8(random.next() % 8)
        case 2: bytes.removeSubrange(place..<place + length)
        case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
        case 4: bytes.removeSubrange(place...)
        case 5: bytes.insert(contentsOf: oddTokens[Int.random(in: 0..<oddTokens.count, using: &random)], at: place)
        case 6: replaceNumber(in: &bytes, using: &random)
        case 7: repeatLine(of: &bytes, using: &random)
        case 8: removeLine(of: &bytes, using: &random)
        default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
        }
    }

    private static func replaceNumber(in bytes: inout [UInt8], using random: inout RandomSource) {
        let digits = bytes.indices.filter { isDigit(bytes[$0]) && ($0 == 0 || !isDigit(bytes[$0 - 1])) }
        guard let start = digits.randomElement(using: &random) else { return }
        let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count
        let numbers = ["0", "1", "-1", "00005", "99999999999999999999", "2147483648", "0x10", "1e3", "", " 7 ", "7,7"]
        bytes.replaceSubrange(start..<end, with: (numbers.randomElement(using: &random) ?? "").utf8)
    }

    private static func repeatLine(of bytes: inout [UInt8], using random: inout RandomSource) {
        guard let line = line(of: bytes, using: &random) else { return }
        bytes.insert(contentsOf: bytes[line], at: line.lowerBound)
    }

    private static func removeLine(of bytes: inout [UInt8], using random: inout RandomSource) {
        guard let line = line(of: bytes, using: &random) else { return }
        bytes.removeSubrange(line)
    }

    private static func line(of bytes: [UInt8], using random: inout RandomSource) -> Range<Int>? {
        let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
        guard let end = ends.randomElement(using: &random) else { return nil }
        let start = bytes[..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return start..<end + 1
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static let oddTokens: [[UInt8]] =
        [
            "\r\n", "\r\n\r\n", "\n", "\r", "\0", "\t", ":", " ", ";", ",",
            "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "Content-Length: 3\r\n",
            "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "Content-Encoding: gzip\r\n",
            "Trailer: X\r\n", "X: y\r\n", " folded\r\n", "0\r\n\r\n", "Location: //\r\n", "Set-Cookie: a=b\r\n",
        ]
        .map { Array($0.utf8) } + [[0xFF, 0xFE, 0x80], [0x1F, 0x8B, 0x08]]

    // MARK: - Valid responses

    private static let validResponses: [[UInt8]] = heads.map { Array($0.replacing("\n", with: "\r\n").utf8) } + [gzip]

    private static let heads = [
        "HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 5\n\nhello",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n6;a=b\n world\n0\n\n",
        "HTTP/1.1 200 OK\nTrailer: X-Sum\nTransfer-Encoding: chunked\n\n5\nhello\n0\nX-Sum: 1\n\n",
        "HTTP/1.1 200 OK\nConnection: close\n\nuntil the end",
        "HTTP/1.0 200 OK\nContent-Length: 2\nConnection: keep-alive\n\nok",
        "HTTP/1.1 204 No Content\nSet-Cookie: a=b; Expires=Wed, 21 Oct 2037 07:28:00 GMT\nSet-Cookie: c=d\n\n",
        "HTTP/1.1 304 Not Modified\nETag: \"x\"\nContent-Length: 5\n\n",
        "HTTP/1.1 301 Moved Permanently\nLocation: /elsewhere\nContent-Length: 5\n\nmoved",
        "HTTP/1.1 307 Temporary Redirect\nLocation: http://other.invalid:99/a?b#c\nContent-Length: 0\n\n",
        "HTTP/1.1 401 Unauthorized\nWWW-Authenticate: Basic realm=\"x\", Bearer error=\"y\"\nContent-Length: 2\n\nno",
        "HTTP/1.1 103 Early Hints\nLink: </a>; rel=preload\n\nHTTP/1.1 200 OK\nContent-Length: 2\n\nok",
        "HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\nContent-Length: 2\n\nok",
        "HTTP/1.1 206 Partial Content\nContent-Range: bytes 0-1/10\nContent-Length: 2\n\nok",
        "HTTP/1.1 429 Too Many Requests\nRetry-After: 1\nContent-Length: 0\n\n",
        "HTTP/1.1 500 Internal Server Error\nContent-Type: application/problem+json\nContent-Length: 2\n\n{}",
        "HTTP/1.1 999 Odd\nX-Folded: one\n two\nContent-Length: 1\n\nx",
    ]

    private static let gzip: [UInt8] = {
        let body = Gzip.stored(Data("hello hello".utf8), .whole)
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + Array(body)
    }()
}
