import Foundation
import NetKit

/// The content that `netkit request` sends.
enum RequestContent: Equatable {
    case none
    case data(String)
    case json(String)
    case form([String])
    /// The members of a JSON object, with the JSON of their values.
    case members([String: String])

    /// Adds the content of another option.
    ///
    /// Only form fields can be combined.
    mutating func add(_ other: RequestContent) throws {
        switch (self, other) {
        case (.none, _): self = other
        case (.form(let fields), .form(let more)): self = .form(fields + more)
        default: throw UsageError(message: "use only one of --data, --data-json and --form, or items of a JSON body.")
        }
    }

    func body() throws -> HTTPBody? {
        switch self {
        case .none: nil
        case .data(let text): try Self.data(text)
        case .json(let text): try Self.json(text)
        case .form(let fields): .multipart(try Self.form(fields))
        case .members(let members): .data(try Self.object(members), contentType: "application/json")
        }
    }

    private static func object(_ members: [String: String]) throws -> Data {
        let texts = try members.sorted { $0.key < $1.key }.map { "\(try json(ofString: $0.key)):\($0.value)" }
        return Data("{\(texts.joined(separator: ","))}".utf8)
    }

    /// Returns a string as JSON.
    static func json(ofString text: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(text), as: UTF8.self)
    }

    private static func data(_ text: String) throws -> HTTPBody {
        guard let file = try file(text) else { return .text(text) }
        // A stream can be read only once, and the request may have to be sent again.
        return isStream(file) ? .data(try content(of: file)) : .file(at: file)
    }

    /// The texts that may name a file with content.
    var sources: [String] {
        switch self {
        case .data(let text), .json(let text): [text]
        case .form(let fields): fields.map { String($0.drop { $0 != "=" }.dropFirst()) }
        case .none, .members: []
        }
    }

    /// Returns the identity of the standard input, pipe or socket that a text names, which can be read only once; `nil`
    /// for anything else.
    ///
    /// Standard input has several names, such as `/dev/fd/0`.
    static func onlyOnce(_ text: String) -> String? {
        var info = stat()
        guard let path = path(text), stat(path, &info) == 0 else { return nil }
        let isPipe = [S_IFIFO, S_IFSOCK].contains(info.st_mode & S_IFMT)
        return isPipe || path == standardInput ? "\(info.st_dev) \(info.st_ino)" : nil
    }

    private static func isInput(_ file: URL) -> Bool { file.path(percentEncoded: false) == standardInput }

    /// Returns whether a file is standard input, a pipe such as that of `<(command)`, or a device.
    private static func isStream(_ file: URL) -> Bool {
        var info = stat()
        if isInput(file) { return true }
        guard stat(file.path(percentEncoded: false), &info) == 0 else { return false }
        return info.st_mode & S_IFMT != S_IFREG && info.st_mode & S_IFMT != S_IFDIR
    }

    private static func json(_ text: String) throws -> HTTPBody {
        let data = try file(text).map(content(of:)) ?? Data(text.utf8)
        _ = try value(ofJSON: String(decoding: data, as: UTF8.self), for: "--data-json")
        return .data(data, contentType: "application/json")
    }

    /// Returns a token, or that of the file that it names, without the spaces and line breaks around it.
    static func token(_ text: String) throws -> String {
        let whole = try file(text).map { String(decoding: try content(of: $0), as: UTF8.self) } ?? text
        let token = whole.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else { throw UsageError(message: "the token of --bearer is empty.") }
        return token
    }

    private static func content(of file: URL) throws -> Data {
        do {
            guard isStream(file) else { return try Data(contentsOf: file) }
            return try (isInput(file) ? .standardInput : FileHandle(forReadingFrom: file)).readToEnd() ?? Data()
        } catch {
            throw NetKitError.ofFile("read", file.path(percentEncoded: false), error)
        }
    }

    /// Returns the value of a JSON text, or throws an error that shows the place from which it is not JSON.
    static func value(ofJSON text: String, for option: String) throws -> JSONValue {
        guard let value = try? JSONValue(parsing: Data(text.utf8)) else {
            throw UsageError(message: "the value of \(option) is not JSON.", details: place(ofFaultIn: text))
        }
        return value
    }

    /// Returns the position of a comma after the last element of an array or an object; `nil` if there is none.
    private static func commaBeforeEnd(in text: String) -> Int? {
        var (comma, isInString, isEscaped) = (Int?.none, false, false)
        for (offset, byte) in text.utf8.enumerated() {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""):
                isInString.toggle()
                comma = nil
            case _ where isInString: break
            case UInt8(ascii: ","): comma = offset
            case UInt8(ascii: "]"), UInt8(ascii: "}"): if let comma { return comma }
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
            default: comma = nil
            }
        }
        return nil
    }

    private static func place(ofFaultIn text: String) -> [String] {
        guard
            case .failure(let error) = Result(catching: {
                try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            })
        else {
            // Foundation accepts a comma after the last element.
            return commaBeforeEnd(in: text).map { Self.place(at: $0, in: text) } ?? []
        }
        // Foundation gives the place in its text for developers only, and none if the text ends too early.
        let place = "\((error as NSError).userInfo[NSDebugDescriptionErrorKey] ?? "")"
        let offset = place.firstMatch(of: #/around character (\d+)/#).flatMap { Int($0.1) } ?? text.utf8.count
        return Self.place(at: offset, in: text)
    }

    /// Returns the line with a fault and a mark below it.
    private static func place(at offset: Int, in text: String) -> [String] {
        let before = text.utf8.prefix(offset).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let column = before.last.map { String(decoding: $0, as: UTF8.self).count } ?? 0
        // Bytes, because CR LF is one character.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0, as: UTF8.self) }
        let start = max(0, column - 40)
        let shown = lines[min(before.count, lines.count) - 1].dropFirst(start).prefix(76)
        return [
            "  \(shown)",
            "  \(String(repeating: " ", count: column - start))^ line \(before.count), column \(column + 1)",
        ]
    }

    private static func form(_ fields: [String]) throws -> MultipartForm {
        var form = MultipartForm()
        for field in fields {
            guard let sign = field.firstIndex(of: "="), sign > field.startIndex else {
                throw UsageError(message: "a field is written \"name=value\" or \"name=@file\", and one is not.")
            }
            let (name, value) = (String(field[..<sign]), String(field[field.index(after: sign)...]))
            switch try file(value) {
            case let file? where isStream(file):
                form.data(name, try content(of: file), fileName: file.lastPathComponent)
            case let file?: form.file(name, at: file)
            case nil: form.field(name, value)
            }
        }
        return form
    }

    private static let standardInput = "/dev/stdin"

    private static func path(_ text: some StringProtocol) -> String? {
        guard text.hasPrefix("@") else { return nil }
        return text == "@-" ? standardInput : String(text.dropFirst())
    }

    private static func file(_ text: String) throws -> URL? { try path(text).map(URL.file) }
}
