/// The part of a whole that a response contains (RFC 9110, section 14.4): `bytes 5-9/10`.
struct ContentRange: Equatable {
    let first: Int64
    let last: Int64
    /// Nil where the server does not know.
    let total: Int64?

    /// Reads a field's value; nil where it is no satisfied range of bytes.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, ends.count == 2, let first = Int64(digits: ends[0]), let last = Int64(digits: ends[1])
        else {
            return nil
        }
        total = Int64(digits: parts[1])
        guard first <= last, parts[1] == "*" || total.map({ last < $0 }) == true else { return nil }
        (self.first, self.last) = (first, last)
    }
}
