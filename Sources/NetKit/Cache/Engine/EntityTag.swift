/// An entity tag (RFC 9110, section 8.8.3), compared as text.
struct EntityTag: Sendable, Equatable {
    let isWeak: Bool
    /// The text after the weakness mark, including quotes if there are any.
    let opaque: String

    init(_ text: some StringProtocol) {
        isWeak = text.hasPrefix("W/")
        opaque = String(isWeak ? text.dropFirst(2) : text[...])
    }

    /// Creates the tag of a response; `nil` if it has none.
    init?(of headers: HTTPHeaders) {
        guard let value = headers["ETag"], !value.isEmpty else { return nil }
        self.init(value)
    }

    /// Returns whether the tags are strong and equal.
    func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && self == other }

    /// Returns whether the tags are equal, weak or not.
    func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Returns whether a list of tags, such as that of `If-None-Match`, has one that matches; `*` matches every tag.
    func isListed(in list: String) -> Bool {
        HeaderList.members(of: list, hasEscapes: false).contains { $0 == "*" || matchesWeakly(EntityTag($0)) }
    }
}
