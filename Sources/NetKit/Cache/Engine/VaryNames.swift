/// The request fields that select among the answers of one URL (RFC 9111, section 4.1).
enum VaryNames {
    /// More names than anybody means: each costs a look at every later request.
    private static let most = 64

    /// The names in lower case, sorted; nil for `*`, which no request matches, and for more than can be compared.
    static func of(_ headers: HTTPHeaders) -> [String]? {
        var names: Set<String> = []
        for value in headers.values(of: "Vary") {
            for name in value.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
                if name == "*" { return nil }
                names.insert(name.lowercased())
                if names.count > most { return nil }
            }
        }
        return names.ordered()
    }

    /// Returns the normalised value of a field in a request; `nil` if the request has none.
    static func value(of name: String, in headers: HTTPHeaders) -> String? {
        let values = headers.values(of: name)
        guard !values.isEmpty else { return nil }
        let members = values.flatMap(HeaderList.members)
        guard name.hasPrefix("accept") else { return members.joined(separator: ",") }
        // The order of what is acceptable means nothing, its weight does; case means nothing either.
        return members.map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }.ordered().joined(separator: ",")
    }
}
