import Foundation
import NetKit

/// The content that `netkit request` sends.
enum RequestContent: Equatable {
    case none
    case data(String)
    case json(String)
    case form([String])

    /// Adds the content of another option.
    ///
    /// Only form fields can be combined.
    mutating func add(_ other: RequestContent) throws {
        switch (self, other) {
        case (.none, _): self = other
        case (.form(let fields), .form(let more)): self = .form(fields + more)
        default: throw UsageError(message: "use only one of --data, --data-json and --form.")
        }
    }

    func body() throws -> HTTPBody? {
        switch self {
        case .none: nil
        case .data(let text): Self.file(text).map { .file(at: $0) } ?? .text(text)
        case .json(let text): try Self.json(text)
        case .form(let fields): .multipart(try Self.form(fields))
        }
    }

    private static func json(_ text: String) throws -> HTTPBody {
        let data = try file(text).map { try Data(contentsOf: $0) } ?? Data(text.utf8)
        do {
            _ = try JSONDecoder().decode(JSONValue.self, from: data)
        } catch {
            throw UsageError(message: "the value of --data-json is not JSON.")
        }
        return .data(data, contentType: "application/json")
    }

    private static func form(_ fields: [String]) throws -> MultipartForm {
        var form = MultipartForm()
        for field in fields {
            guard let sign = field.firstIndex(of: "="), sign > field.startIndex else {
                throw UsageError(message: "a field is written \"name=value\" or \"name=@file\", not \"\(field)\".")
            }
            let (name, value) = (String(field[..<sign]), String(field[field.index(after: sign)...]))
            if let file = file(value) { form.file(name, at: file) } else { form.field(name, value) }
        }
        return form
    }

    private static func file(_ text: String) -> URL? {
        text.hasPrefix("@") ? URL(fileURLWithPath: String(text.dropFirst())) : nil
    }
}
