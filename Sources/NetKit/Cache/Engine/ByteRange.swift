/// The part that a `Range` field asks for (RFC 9110, section 14.2).
enum ByteRange: Equatable {
    /// The whole, because there is no range, or none that has to be understood.
    case whole
    case part(Range<Int64>)
    /// The range contains no byte of the body.
    case unsatisfiable
    /// Several parts, which only the server sends.
    case several

    /// Reads a field.
    ///
    /// - Parameters:
    ///   - text: The field.
    ///   - length: How many bytes there are.
    /// - Returns: What is asked for; what cannot be understood is overlooked.
    static func reading(_ text: String, length: Int64) -> ByteRange {
        guard text.utf8.count <= 200, text.lowercased().hasPrefix("bytes=") else { return .whole }
        let members = HeaderList.members(of: String(text.dropFirst(6)))
        guard members.count == 1, let member = members.first else { return members.count > 1 ? .several : .whole }
        let ends = member.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .whole }
        if ends[0].isEmpty {
            guard let count = DeltaSeconds.position(ends[1]) else { return .whole }
            return count == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - count)..<length)
        }
        guard let first = DeltaSeconds.position(ends[0]),
            let last = ends[1].isEmpty ? .max - 1 : DeltaSeconds.position(ends[1]), last >= first
        else { return .whole }
        return first >= length ? .unsatisfiable : .part(first..<min(length, last + 1))
    }
}

extension DeltaSeconds {
    /// A position in a body: digits, below what 63 bits hold.
    fileprivate static func position(_ text: Substring) -> Int64? {
        Int64(clampingDigits: text).map { min($0, .max - 1) }
    }
}
