/// The query format of lists, nested values and dates, for which URLs have no common format.
public struct QueryFormat: Sendable, Hashable {
    /// A format of lists.
    public struct Lists: Sendable, Hashable {
        enum Kind: Sendable { case repeated, brackets, comma }

        let kind: Kind

        /// The name once for each value: `id=1&id=2`.
        public static let repeated = Lists(kind: .repeated)
        /// The name with brackets once for each value: `id[]=1&id[]=2`.
        public static let brackets = Lists(kind: .brackets)
        /// All values in one, with commas between them: `id=1,2`; a comma inside a value cannot be told apart.
        public static let comma = Lists(kind: .comma)
    }

    /// A format of dates.
    public struct Dates: Sendable, Hashable {
        enum Kind: Sendable { case text, textWithFraction, seconds, milliseconds }

        let kind: Kind

        /// `2023-11-14T22:13:20Z`.
        public static let iso8601 = Dates(kind: .text)
        /// `2023-11-14T22:13:20.123Z`.
        public static let iso8601WithFraction = Dates(kind: .textWithFraction)
        /// Whole seconds since 1970.
        public static let secondsSince1970 = Dates(kind: .seconds)
        /// Whole milliseconds since 1970, rounded to the nearest.
        public static let millisecondsSince1970 = Dates(kind: .milliseconds)
    }

    /// A format of the names of nested values.
    public struct Nesting: Sendable, Hashable {
        enum Kind: Sendable { case brackets, dots }

        let kind: Kind

        /// `filter[name]=a`.
        public static let brackets = Nesting(kind: .brackets)
        /// `filter.name=a`.
        public static let dots = Nesting(kind: .dots)
    }

    /// The format of lists.
    public var lists: Lists
    /// The format of dates.
    public var dates: Dates
    /// The format of the names of nested values.
    public var nesting: Nesting

    /// Creates a format.
    public init(lists: Lists = .repeated, dates: Dates = .iso8601, nesting: Nesting = .brackets) {
        (self.lists, self.dates, self.nesting) = (lists, dates, nesting)
    }
}
