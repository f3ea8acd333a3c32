import Foundation

/// The text between the contents of a form's parts, according to the HTML standard.
enum MultipartText {
    static let end = Data("\r\n".utf8)

    /// Returns the delimiter and the header of a part.
    static func head(of part: MultipartForm.Part, boundary: String) throws(NetKitError) -> Data {
        var text = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(escaped(withLineBreaks(part.name)))\""
        // A file with an empty name is sent without a name, as Node does it.
        if let fileName = part.fileName, !fileName.isEmpty { text += "; filename=\"\(escaped(fileName))\"" }
        text += "\r\n"
        let type = part.body.contentType ?? (part.fileName == nil ? nil : "application/octet-stream")
        if let type, !part.headers.contains("Content-Type") { text += try line("Content-Type", type, part) }
        for field in part.headers { text += try line(field.name, field.value, part) }
        return Data((text + "\r\n").utf8)
    }

    /// Returns a field's value, in which every line break becomes CR LF.
    static func field(_ value: String) -> Data { Data(withLineBreaks(value).utf8) }

    /// Escapes a text as browsers do: a quotation mark and line breaks are percent-encoded, and nothing else is.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += Array("%22".utf8)
            case UInt8(ascii: "\r"): bytes += Array("%0D".utf8)
            case UInt8(ascii: "\n"): bytes += Array("%0A".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func withLineBreaks(_ text: String) -> String {
        var bytes: [UInt8] = []
        var wasReturn = false
        for byte in text.utf8 {
            let isReturn = byte == UInt8(ascii: "\r")
            if isReturn || byte == UInt8(ascii: "\n") {
                if !wasReturn || isReturn { bytes += [0x0D, 0x0A] }
            } else {
                bytes.append(byte)
            }
            wasReturn = isReturn
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func line(_ name: String, _ value: String, _ part: MultipartForm.Part) throws(NetKitError) -> String
    {
        let isClean = !RequestValidation.hasControlCharacter(value)
        guard name.isHTTPToken, isClean, !HTTPHeaders.isEqual(name, "Content-Disposition") else {
            let shown = NetKitError.oneLine(name, limit: 60)
            let message =
                "The part \"\(NetKitError.oneLine(part.name, limit: 60))\" cannot have the header \"\(shown)\". "
            throw NetKitError(
                .invalidRequest,
                message + "Check it for line breaks; the name belongs to the part itself."
            )
        }
        return "\(name): \(value)\r\n"
    }
}

/// The line between the parts of a form.
enum MultipartBoundary {
    /// Returns the wanted boundary, or one of 160 random bits.
    ///
    /// A part in memory must not contain it.
    static func choose(
        _ wanted: String?,
        for parts: [MultipartForm.Part],
        random: RandomSource
    ) throws(NetKitError) -> String {
        if let wanted {
            guard isValid(wanted) else {
                let shown = NetKitError.oneLine(wanted, limit: 80)
                throw NetKitError(
                    .invalidRequest,
                    "\"\(shown)\" is not a valid boundary: write 1 to 70 letters, digits and + - . _ only."
                )
            }
            guard !stands(wanted, in: parts) else {
                throw NetKitError(
                    .invalidRequest,
                    "A part of the form contains the boundary. Omit the boundary, and a random one is used."
                )
            }
            return wanted
        }
        var boundary = draw(random)
        for _ in 0..<8 where stands(boundary, in: parts) { boundary = draw(random) }
        return boundary
    }

    private static func draw(_ random: RandomSource) -> String {
        let digits = Array("0123456789abcdefghijklmnopqrstuv")
        var text = "----netkit-"
        for _ in 0..<4 {
            var bits = random.next()
            for _ in 0..<8 {
                text.append(digits[Int(bits & 31)])
                bits >>= 5
            }
        }
        return text
    }

    /// Returns whether a boundary has only those RFC 2046 characters that need no quotation marks in the header field.
    private static func isValid(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isURLUnreserved && $0 != UInt8(ascii: "~") || $0 == UInt8(ascii: "+") }
    }

    private static func stands(_ boundary: String, in parts: [MultipartForm.Part]) -> Bool {
        let needle = Array("--\(boundary)".utf8)
        return parts.contains { part in
            part.body.pieces.contains { body in
                body.bytes?.withUnsafeBytes { stands(needle, in: $0) } == true
            }
        }
    }

    /// Searches with `memchr`, because a part may be large.
    private static func stands(_ needle: [UInt8], in bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, let first = needle.first else { return false }
        var offset = 0
        while bytes.count - offset >= needle.count {
            guard let found = memchr(start + offset, Int32(first), bytes.count - offset - needle.count + 1) else {
                return false
            }
            if memcmp(found, needle, needle.count) == 0 { return true }
            offset = UnsafeRawPointer(found) - start + 1
        }
        return false
    }
}
