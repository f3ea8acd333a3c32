extension Unicode.Scalar {
    /// Whether the character ends a line, moves a cursor, changes the reading direction, or is invisible.
    ///
    /// The two joiners are not, because words and emoji consist of characters that they join.
    var isHarmful: Bool {
        // Looking up a character's category is slow, so ASCII is handled first.
        if isASCII { return value < 0x20 || value == 0x7F }
        if value == 0x200C || value == 0x200D { return false }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }
}
