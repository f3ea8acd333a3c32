import Foundation

/// Turns a decoding failure into an error that says where, without showing the payload.
package enum DecodingProblem {
    package static func error(for error: any Error, expected type: Any.Type, answer: NetKitError.Answer? = nil)
        -> NetKitError
    {
        let (path, what) = describe(error)
        let place = path.isEmpty ? "" : "\(path): "
        return NetKitError(
            .decoding,
            "The body is not the expected \(type): \(place)\(what).",
            outcome: .answered,
            cause: error,
            answer: answer,
            codingPath: path
        )
    }

    private static func describe(_ error: any Error) -> (path: String, what: String) {
        guard let error = error as? DecodingError else { return ("", "\(Swift.type(of: error)) was thrown") }
        switch error {
        case .typeMismatch(let type, let context):
            return (text(of: context.codingPath), "expected \(type), found another type")
        case .valueNotFound(let type, let context):
            return (text(of: context.codingPath), "expected \(type), found null")
        case .keyNotFound(let key, let context): return (text(of: context.codingPath + [key]), "the key is missing")
        case .dataCorrupted(let context): return (text(of: context.codingPath), "the data is not valid")
        @unknown default: return ("", "decoding failed")
        }
    }

    /// `users[3].name`.
    private static func text(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
