/// The statuses of a response that are no error.
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

    /// A range of statuses.
    public static func range(_ range: Range<Int>) -> AcceptedStatuses { AcceptedStatuses(range: range) }

    private init(range: Range<Int>) {
        self.range = range
    }

    /// Makes a list of statuses.
    public init(arrayLiteral elements: HTTPStatus...) {
        range = 0..<0
        codes = Set(elements.map(\.code))
    }

    /// These and some more.
    public func adding(_ statuses: HTTPStatus...) -> AcceptedStatuses {
        var accepted = self
        accepted.codes.formUnion(statuses.map(\.code))
        return accepted
    }

    /// Whether a status is accepted.
    public func contains(_ status: HTTPStatus) -> Bool {
        range.contains(status.code) || codes.contains(status.code)
    }
}
