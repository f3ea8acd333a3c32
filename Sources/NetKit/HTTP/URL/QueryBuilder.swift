public import Foundation

/// The items of a query, in order.
///
/// Names may repeat, lists and dates have one format, and `nil` values are left out.
///
/// ```swift
/// let query: QueryBuilder = ["q": "salt & pepper", "page": 2, "cursor": nil]       // q=salt%20%26%20pepper&page=2
/// let more = QueryBuilder(format: .init(lists: .comma)).adding("id", [1, 2]).adding("since", date)
/// let filter = QueryBuilder(encoding: Filter(name: "Ada"))
/// ```
/// All characters except letters, digits and `-._~` are percent-encoded: a space is `%20`, and a plus is `%2B`. If a
/// value cannot be written, such as a number that is not finite, `send` throws `.encoding`.
public struct QueryBuilder: Sendable, Hashable {
    /// The format of the lists, dates and nested values that are added next.
    public var format: QueryFormat

    /// The items so far; their texts are not encoded yet.
    public private(set) var items: [URLQueryItem]

    /// A value that cannot be written; without a name, the members of a value as a whole.
    private struct Problem: Hashable {
        let name: String?
        let text: String
    }

    /// The problems, behind a pointer because they are rare and a request should be small.
    private var boxedProblems: Box<[Problem]>?

    private var problems: [Problem] {
        get { boxedProblems?.value ?? [] }
        set { boxedProblems = newValue.isEmpty ? nil : Box(newValue) }
    }

    /// Creates an empty query.
    public init(format: QueryFormat = QueryFormat()) {
        self.format = format
        items = []
    }

    /// Creates a query of items.
    public init(_ items: [URLQueryItem], format: QueryFormat = QueryFormat()) {
        self.format = format
        self.items = items
    }

    /// Creates a query of a value's members, in the order in which the value encodes them.
    public init(encoding value: some Encodable, format: QueryFormat = QueryFormat()) {
        self.init(format: format)
        add(encoding: value)
    }

    /// The problem as a sentence; `nil` if there is none.
    var problem: String? { boxedProblems?.value.first?.text }

    /// Whether the query has no items.
    public var isEmpty: Bool { items.isEmpty }

    /// Adds a value under a name; a list is added as the format says, and `nil` adds nothing.
    public mutating func add(_ name: String, _ value: (any QueryConvertible)?) {
        if let value { add(name, value.queryValue) }
    }

    /// Adds a name without a value, such as `?verbose`.
    public mutating func addFlag(_ name: String) {
        items.append(URLQueryItem(name: name, value: nil))
    }

    /// Adds items as they are.
    public mutating func add(_ items: [URLQueryItem]) { self.items += items }

    /// Adds the items of another query.
    public mutating func add(_ other: QueryBuilder) {
        items += other.items
        if other.problem != nil { problems += other.problems }
    }

    /// Adds the members of a value, in the order in which it encodes them.
    ///
    /// A member that is ``QueryConvertible`` is added as its query value.
    public mutating func add(encoding value: some Encodable) {
        do {
            for (name, value) in try QueryEncoding.members(of: value, nesting: format.nesting) { add(name, value) }
        } catch {
            note(nil, "\(type(of: value)) cannot be written: \(EncodingProblem.text(of: error))")
        }
    }

    /// Replaces every item of a name by one value, at the place of the first; `nil` removes them.
    ///
    /// With ``QueryFormat/Lists/brackets``, the items of a list are replaced too, whose names end in `[]`.
    public mutating func set(_ name: String, _ value: (any QueryConvertible)?) {
        let names = [name, format.lists == .brackets ? name + "[]" : name]
        let place = items.firstIndex { names.contains($0.name) } ?? items.endIndex
        let rest = items[place...].filter { !names.contains($0.name) }
        items.removeSubrange(place...)
        if problem != nil { problems.removeAll { $0.name.map(names.contains) ?? false } }
        add(name, value)
        items += rest
    }

    /// Returns the query with a value added under a name.
    public func adding(_ name: String, _ value: (any QueryConvertible)?) -> QueryBuilder {
        var query = self
        query.add(name, value)
        return query
    }

    /// Returns the query with a name without a value added.
    public func addingFlag(_ name: String) -> QueryBuilder {
        var query = self
        query.addFlag(name)
        return query
    }

    /// Returns the query with items added as they are.
    public func adding(_ items: [URLQueryItem]) -> QueryBuilder {
        var query = self
        query.add(items)
        return query
    }

    /// Returns the query with the members of a value added.
    public func adding(encoding value: some Encodable) -> QueryBuilder {
        var query = self
        query.add(encoding: value)
        return query
    }

    /// The query in the form of a URL, percent-encoded and without a question mark.
    public var encoded: String {
        var bytes: [UInt8] = []
        append(to: &bytes, PercentEncoding.appendSegment)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Adds the encoded items, with `&` between them.
    func append(to bytes: inout [UInt8], _ encode: (String, inout [UInt8]) -> Void) {
        bytes.reserveCapacity(bytes.count + 24 * items.count)
        var isFirst = true
        for item in items {
            if !isFirst { bytes.append(UInt8(ascii: "&")) }
            isFirst = false
            encode(item.name, &bytes)
            if let value = item.value {
                bytes.append(UInt8(ascii: "="))
                encode(value, &bytes)
            }
        }
    }

    private mutating func add(_ name: String, _ value: QueryValue) {
        switch value.kind {
        case .nothing: break
        case .text(let text): items.append(URLQueryItem(name: name, value: text))
        case .date(let date): items.append(URLQueryItem(name: name, value: text(of: date)))
        case .problem(let problem): note(name, "\"\(name)\": \(problem)")
        case .list(let values): add(name, values)
        }
    }

    private mutating func add(_ name: String, _ values: [QueryValue]) {
        switch format.lists.kind {
        case .repeated: for value in values { add(name, value) }
        case .brackets: for value in values { add(name + "[]", value) }
        case .comma:
            var inner = QueryBuilder(format: format)
            for value in values { inner.add(name, value) }
            if inner.problem != nil { problems += inner.problems }
            let texts = inner.items.compactMap(\.value)
            if !texts.isEmpty { items.append(URLQueryItem(name: name, value: texts.joined(separator: ","))) }
        }
    }

    private func text(of date: Date) -> String {
        switch format.dates.kind {
        case .text: ISO8601Date.format(date)
        case .textWithFraction: ISO8601Date.format(date, fraction: true)
        case .seconds: Self.text(of: date.timeIntervalSince1970.rounded(.down))
        // A `Double` that is slightly below a millisecond must not become the millisecond before.
        case .milliseconds: Self.text(of: (date.timeIntervalSince1970 * 1000).rounded())
        }
    }

    private static func text(of whole: Double) -> String { String(Int64(exactly: whole) ?? (whole < 0 ? .min : .max)) }

    private mutating func note(_ name: String?, _ text: String) {
        // One for each name, or a long list would have as many.
        guard !problems.contains(where: { $0.name == name }) else { return }
        problems.append(Problem(name: name, text: text))
    }
}

extension QueryBuilder: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Creates a query of items.
    public init(arrayLiteral elements: URLQueryItem...) { self.init(elements) }

    /// Creates a query of names and values in order; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, (any QueryConvertible)?)...) {
        self.init()
        for (name, value) in elements { add(name, value) }
    }
}
