import Foundation

/// A text that equals only a text of the same bytes.
///
/// A `String` also equals a text in which an accented letter is written as a letter and an accent. To a server or a
/// database, these are two names, and perhaps those of two users.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// The hash is still that of the string, because equal bytes have equal hashes.
    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.isExactly(right.text) }
}

extension String {
    /// Returns whether another text has the same bytes.
    ///
    /// Not inlined: each lookup in a table of such texts would have all of this.
    @inline(never)
    func isExactly(_ other: String?) -> Bool {
        guard let other, utf8.count == other.utf8.count else { return false }
        var (one, two) = (self, other)
        return one.withUTF8 { one in
            two.withUTF8 { two in
                // Two texts without bytes may have no address.
                guard let start = one.baseAddress, let otherStart = two.baseAddress else { return true }
                return memcmp(start, otherStart, one.count) == 0
            }
        }
    }
}

extension Set<String> {
    /// Returns whether the set has a text of the same bytes.
    func containsExactly(_ text: String) -> Bool { firstIndex(of: text).map { self[$0].isExactly(text) } ?? false }
}
