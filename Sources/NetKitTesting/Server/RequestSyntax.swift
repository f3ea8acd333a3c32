import Foundation
import NetKit

/// A strict parser for the parts of a request (RFC 9112).
enum RequestSyntax {
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
    }

    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Returns the path of a target, which includes scheme and host in requests to a proxy.
    static func path(of target: String) -> String {
        var rest = target.prefix { $0 != "?" }
        // A path may contain a whole URL.
        if !rest.hasPrefix("/"), let scheme = rest.range(of: "://") {
            rest = rest[scheme.upperBound...].drop { $0 != "/" }
            if rest.isEmpty { return "/" }
        }
        // The host and port of a CONNECT request.
        if let first = rest.first, first != "/", first != "*" { return "/\(rest)" }
        return String(rest)
    }

    static func field(_ line: ArraySlice<UInt8>) throws(RequestFailure) -> HTTPHeaders.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
            throw .malformed("a header line is not `name: value`")
        }
        let name = line[..<colon]
        guard name.allSatisfy(isToken) else { throw .malformed("a header name is not a token") }
        var value = line[(colon + 1)...]
        while let first = value.first, isBlank(first) { value.removeFirst() }
        while let last = value.last, isBlank(last) { value.removeLast() }
        return HTTPHeaders.Field(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    static func framing(of request: ServerRequest) throws(RequestFailure) -> Framing {
        let lengths = Set(request.headers.values(of: "Content-Length"))
        let codings = request.headers.values(of: "Transfer-Encoding")
        if request.isVersion11, request.headers.values(of: "Host").count != 1 {
            throw .malformed("there is not exactly one Host field")
        }
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw .malformed("there are both Content-Length and Transfer-Encoding") }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw .malformed("the transfer coding is not chunked")
            }
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        guard lengths.count == 1, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(length) else {
            throw .malformed("Content-Length is not a number")
        }
        return count == 0 ? .none : .length(count)
    }

    static func chunkSize(_ line: ArraySlice<UInt8>) throws(RequestFailure) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") && !isBlank($0) }
        guard digits.first != UInt8(ascii: "-"), digits.first != UInt8(ascii: "+"),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .malformed("a chunk size is not a number") }
        return size
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
