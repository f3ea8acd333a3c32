/// The request fields that select among the responses of one URL (RFC 9111, section 4.1).
enum VaryNames {
    /// The maximum number of names, because each costs a lookup in every later request.
    private static let maxCount = 64
    /// The fields of tokens with weights, in which order, case and blanks mean nothing.
    ///
    /// `Accept` is none of them, because a parameter of a media type may depend on case.
    private static let tokenLists: Set<String> = ["accept-charset", "accept-encoding", "accept-language"]

    /// Returns the names in lower case, sorted; `nil` for `*`, which no request matches, and for too many names.
    static func of(_ headers: HTTPHeaders) -> [String]? {
        var names: Set<String> = []
        for value in headers.values(of: "Vary") {
            for name in HeaderList.words(of: value) {
                if name == "*" { return nil }
                names.insert(name.lowercased())
                if names.count > maxCount { return nil }
            }
        }
        return names.ordered()
    }

    /// Returns whether the normalized values of a field have the same bytes in two requests.
    static func haveSameValue(of name: String, _ one: HTTPHeaders, _ other: HTTPHeaders) -> Bool {
        let (value, otherValue) = (Self.value(of: name, in: one), Self.value(of: name, in: other))
        return value.map { $0.isExactly(otherValue) } ?? (otherValue == nil)
    }

    /// Returns the normalized value of a field in a request; `nil` if the request has none.
    ///
    /// Not inlined, because both sides of every comparison would have it.
    @inline(never)
    static func value(of name: String, in headers: HTTPHeaders) -> String? {
        let values = headers.values(of: name)
        guard !values.isEmpty else { return nil }
        let members = values.flatMap(HeaderList.members)
        guard tokenLists.contains(name) else { return members.joined(separator: ",") }
        return members.map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }.ordered().joined(separator: ",")
    }
}
