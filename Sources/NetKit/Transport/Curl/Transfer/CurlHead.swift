/// The head of a response while its lines arrive, and the values that the transport itself needs.
///
/// Lines are kept as they arrived. The caller turns them into fields, not the loop's thread.
struct CurlHead: Sendable {
    /// The effect of a line.
    enum Progress {
        case goesOn
        /// An informational response is over; another head follows.
        case informational
        case complete
    }

    /// The maximum size of all heads of an exchange, informational ones included.
    static let maxBytes = 256 << 10
    /// The maximum number of informational responses before the response.
    static let maxInformational = 64

    private(set) var status = 0
    /// Whether the status line names HTTP/2.
    private(set) var namesHTTP2 = false
    /// The length that the response declares; `nil` for a chunked body, which ends with its last chunk.
    private(set) var declaredLength: Int64?
    /// The values of `Content-Encoding`, in order.
    private(set) var codings: [String] = []
    /// Whether the transport removes the codings; the caller then gets no fields for the codings and the length.
    var isDecoded = false
    /// The reason why the response cannot be understood.
    private(set) var problem: String?
    private var lines = CurlLines()
    /// Whether there is a `Transfer-Encoding`, next to which libcurl ignores a `Content-Length`.
    private(set) var hasTransferCoding = false
    /// Whether a transfer coding marks the end of the body.
    private(set) var isChunked = false
    /// Whether there is another transfer coding, with which no body can be read.
    private(set) var hasOtherTransferCoding = false
    /// Whether the last field states how the body ends or is encoded.
    private var describesBody = false
    /// The bytes of all lines so far, and the number of informational responses; both continue over several heads.
    private var byteCount = 0
    private var informationalCount = 0

    /// Whether no header field has arrived yet.
    var isAtStart: Bool { lines.isEmpty }

    /// Takes a handle's memory, and reserves enough for usual responses.
    mutating func take(_ room: inout CurlRoom) {
        swap(&lines, &room.lines)
        lines.reserveUsualCapacity()
    }

    /// Gives the memory back, and drops the lines.
    mutating func giveBack(_ room: inout CurlRoom) {
        lines.removeAll()
        swap(&lines, &room.lines)
    }

    /// Adds a line with its line ending, as libcurl delivers it.
    mutating func add(_ line: UnsafeRawBufferPointer) -> Progress {
        let content = CurlLines.content(of: line)
        byteCount += line.count
        if byteCount > Self.maxBytes { problem = "its head is larger than \(Self.maxBytes >> 10) KiB" }
        if RequestValidation.hasControlCharacter(content) { problem = "a line of its head has a control character" }
        if content.isEmpty, status > 0 {
            if status >= 200 || status == 101 {
                // The chunks take precedence (RFC 9112, section 6.3).
                if isChunked { declaredLength = nil }
                return .complete
            }
            informationalCount += 1
            if informationalCount > Self.maxInformational {
                problem = "there are more than \(Self.maxInformational) informational responses before it"
            }
            return .informational
        }
        if content.begins(with: "http/", ignoringCase: true) {
            startOver(content)
        } else {
            note(content)
            lines.add(content)
        }
        return .goesOn
    }

    /// The header fields in order, named as they were received.
    func fields() -> HTTPHeaders {
        var fields = lines.fields()
        if isDecoded {
            fields["Content-Encoding"] = nil
            fields["Content-Length"] = nil
        }
        return fields
    }

    private mutating func startOver(_ statusLine: UnsafeRawBufferPointer) {
        if status != 0 || !lines.isEmpty {
            var next = CurlHead()
            (next.byteCount, next.informationalCount, next.problem) = (byteCount, informationalCount, problem)
            swap(&next.lines, &lines)
            next.lines.removeAll()
            self = next
        }
        namesHTTP2 = statusLine.begins(with: "http/2", ignoringCase: true)
        let digits = statusLine.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix { (0x30...0x39).contains($0) }
        status = digits.prefix(4).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        if !(100...999).contains(status) { problem = "its status is not a number from 100 to 999" }
    }

    private mutating func note(_ line: UnsafeRawBufferPointer) {
        if line.first?.isHTTPBlank == true {
            // libcurl may read each line by itself, and would find another end of the body.
            if describesBody { problem = "a field that describes its body is folded" }
            return
        }
        describesBody = false
        if let value = Self.value(of: "transfer-encoding", in: line) {
            (describesBody, hasTransferCoding) = (true, true)
            noteTransferCodings(value)
        }
        guard line.begins(with: "content-", ignoringCase: true) else { return }
        if let value = Self.value(of: "content-length", in: line) {
            describesBody = true
            let length = Int64(digits: value)
            if length == nil { problem = "its Content-Length is not a valid length" }
            if let declaredLength, declaredLength != length { problem = "it declares two lengths that differ" }
            declaredLength = length
        } else if let value = Self.value(of: "content-encoding", in: line) {
            describesBody = true
            codings.append(String(decoding: value, as: UTF8.self))
        }
    }

    /// Notes the transfer codings in a list.
    ///
    /// libcurl ends the body with its last chunk, even if another coding follows in the list. It would decode gzip, but
    /// takes the beginning of it for the whole.
    private mutating func noteTransferCodings(_ codings: UnsafeRawBufferPointer) {
        var start = 0
        while start < codings.count {
            let end = codings[start...].firstIndex(of: 0x2C) ?? codings.count
            let coding = CurlLines.value(in: UnsafeRawBufferPointer(rebasing: codings[..<end]), from: start)
            start = end + 1
            if coding.count == 7, coding.begins(with: "chunked", ignoringCase: true) {
                isChunked = true
            } else if !coding.isEmpty, coding.count != 8 || !coding.begins(with: "identity", ignoringCase: true) {
                hasOtherTransferCoding = true
            }
        }
    }

    private static func value(of name: StaticString, in line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let length = name.utf8CodeUnitCount
        guard line.count > length, line[length] == 0x3A, line.begins(with: name, ignoringCase: true) else {
            return nil
        }
        return CurlLines.value(in: line, from: length + 1)
    }
}
