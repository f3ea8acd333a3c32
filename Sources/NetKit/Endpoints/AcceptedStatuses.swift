/// The statuses of a response that are not errors.
///
/// ```swift
/// endpoint.acceptedStatuses = .successful.adding(404)
/// endpoint.acceptedStatuses = [200, 304]
/// ```
public struct AcceptedStatuses: Sendable, Hashable, ExpressibleByArrayLiteral {
    private var range: Range<Int>
    private var codes: Set<Int> = []

    /// 200 to 299.
    public static let successful = range(200..<300)
    /// Every status.
    public static let any = range(0..<1000)

    /// Returns the statuses in a range.
    public static func range(_ range: Range<Int>) -> AcceptedStatuses { AcceptedStatuses(range: range) }

    private init(range: Range<Int>) { self.range = range }

    /// Creates a list of statuses.
    public init(arrayLiteral elements: HTTPStatus...) {
        range = 0..<0
        codes = Set(elements.map(\.code))
    }

    /// Returns these statuses and some more.
    public func adding(_ statuses: HTTPStatus...) -> AcceptedStatuses { adding(Set(statuses)) }

    func adding(_ statuses: Set<HTTPStatus>) -> AcceptedStatuses {
        var accepted = self
        accepted.codes.formUnion(statuses.map(\.code))
        return accepted
    }

    /// Returns the statuses that are in either list.
    func union(_ other: AcceptedStatuses) -> AcceptedStatuses {
        let isWide = width >= other.width
        var wide = isWide ? self : other
        let narrow = isWide ? other : self
        wide.codes.formUnion(narrow.codes)
        // One range is kept. The codes of the other one are listed, unless the wide range has all of them.
        let listed = narrow.range.clamped(to: Self.any.range)
        if listed != listed.clamped(to: wide.range) { wide.codes.formUnion(listed) }
        return wide
    }

    // The `count` of a range can be too large for an `Int`.
    private var width: UInt { UInt(bitPattern: range.upperBound &- range.lowerBound) }

    /// Returns whether a status is accepted.
    public func contains(_ status: HTTPStatus) -> Bool {
        range.contains(status.code) || codes.contains(status.code)
    }
}
