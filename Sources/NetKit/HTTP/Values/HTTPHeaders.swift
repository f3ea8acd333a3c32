/// Header fields in the order they were added or received; names are compared without regard to case.
///
/// A field can occur several times: two `Set-Cookie` fields stay two.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers["X-Trace"] = "1"                       // replaces every field of that name
/// headers.add("Set-Cookie", "a=1")               // adds one more
/// let cookies = headers.values(of: "set-cookie")
/// ```
/// An invalid field (a name that is not a token, a line break in a value) is refused when the request is sent.
public struct HTTPHeaders: Sendable, Hashable {
    /// One field.
    public struct Field: Sendable, Hashable {
        /// The name, in the case it was given or received.
        public var name: String
        /// The value.
        public var value: String

        /// Creates a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// Returns whether two fields have the same bytes, which may differ in strings that are equal.
        public static func == (left: Field, right: Field) -> Bool {
            left.name.isExactly(right.name) && left.value.isExactly(right.value)
        }
    }

    /// The fields, or a source that creates them when they are first read.
    private enum Storage: Sendable {
        case made([Field])
        case received(any ReceivedFields)
    }

    private var storage: Storage

    /// All fields in order.
    public private(set) var fields: [Field] {
        // Not inlined, or each of its many callers would have the code for both kinds of storage.
        @inline(never)
        get {
            switch storage {
            case .made(let fields): fields
            case .received(let source): source.fields
            }
        }
        _modify {
            var fields = fields
            // A second reference in the storage would make each change copy the list.
            storage = .made([])
            defer { storage = .made(fields) }
            yield &fields
        }
    }

    /// Creates an empty list.
    public init() { storage = .made([]) }

    /// Creates a list from a dictionary, ordered by name.
    public init(_ values: [String: String]) {
        self.init(values.orderedByKey.map { Field($0.key, $0.value) })
    }

    /// Creates a list from fields in order.
    public init(_ fields: [Field]) { storage = .made(fields) }

    /// Creates a list of fields that are created when they are first read.
    init(_ source: any ReceivedFields) { storage = .received(source) }

    /// Creates a list from stored pairs of a name and a value; an entry that does not have two texts is left out.
    init(pairs: [[String]]) { self.init(pairs.filter { $0.count == 2 }.map { Field($0[0], $0[1]) }) }

    /// Returns whether two lists have the same fields in the same order, with names in the same case.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.fields == right.fields
    }

    /// Adds the fields to a hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }

    /// The value of a field, or `nil` if there is none.
    ///
    /// Several fields of one name are joined by `, `, as RFC 9110 (section 5.3) reads them, and those of `Cookie` by
    /// `; ` (RFC 9113, section 8.2.3). `Set-Cookie` cannot be joined, so only the first is returned; `values(of:)`
    /// returns each one. Setting replaces every field of the name; `nil` removes them.
    public subscript(_ name: String) -> String? {
        get {
            var joined: String?
            for field in fields where Self.isEqual(field.name, name) {
                if joined == nil {
                    joined = field.value
                    if Self.isEqual(name, "Set-Cookie") { break }
                } else {
                    joined?.append(Self.isEqual(name, "Cookie") ? "; " : ", ")
                    joined?.append(field.value)
                }
            }
            return joined
        }
        set {
            guard let newValue else { return remove(name) }
            guard let index = fields.firstIndex(where: { Self.isEqual($0.name, name) }) else {
                return fields.append(Field(name, newValue))
            }
            fields[index].value = newValue
            var position = 0
            fields.removeAll { field in
                defer { position += 1 }
                return position > index && Self.isEqual(field.name, name)
            }
        }
    }

    /// Adds one more field, after the existing ones.
    public mutating func add(_ name: String, _ value: String) { fields.append(Field(name, value)) }

    /// Adds a field, unless there is one of that name.
    mutating func addIfMissing(_ name: String, _ value: String) {
        if !contains(name) { add(name, value) }
    }

    /// Adds every field of another list, after the existing ones.
    public mutating func add(contentsOf other: HTTPHeaders) {
        fields.append(contentsOf: other.fields)
    }

    /// Sets every field of another list, replacing those of the same names.
    public mutating func set(contentsOf other: HTTPHeaders) {
        let added = other.fields
        // A few names are compared faster than they are hashed.
        if added.count <= 8 {
            for field in added { remove(field.name) }
        } else {
            let names = Set(added.map { FieldNameKey($0.name) })
            fields.removeAll { names.contains(FieldNameKey($0.name)) }
        }
        fields.append(contentsOf: added)
    }

    /// Removes every field of a name.
    public mutating func remove(_ name: String) {
        fields.removeAll { Self.isEqual($0.name, name) }
    }

    /// Returns the value of each field of a name, in order.
    public func values(of name: String) -> [String] {
        fields.compactMap { Self.isEqual($0.name, name) ? $0.value : nil }
    }

    /// Returns whether there is a field of a name.
    public func contains(_ name: String) -> Bool {
        fields.contains { Self.isEqual($0.name, name) }
    }

    /// The number of fields.
    public var count: Int { fields.count }

    /// Whether the list has no fields.
    public var isEmpty: Bool { fields.isEmpty }

    /// Returns whether two field names are the same, without regard to case (ASCII only, as the grammar requires).
    static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8, right.utf8)
        guard left.count == right.count else { return false }
        var (leftIndex, rightIndex) = (left.startIndex, right.startIndex)
        while leftIndex < left.endIndex {
            let (one, other) = (left[leftIndex], right[rightIndex])
            guard one == other || one.lowercasedASCII == other.lowercasedASCII else { return false }
            (leftIndex, rightIndex) = (left.index(after: leftIndex), right.index(after: rightIndex))
        }
        return true
    }
}

/// A field's name as the key of a set or dictionary, without regard to case.
struct FieldNameKey: Hashable {
    private let name: String

    init(_ name: String) { self.name = name }

    static func == (left: FieldNameKey, right: FieldNameKey) -> Bool { HTTPHeaders.isEqual(left.name, right.name) }

    func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte.lowercasedASCII) }
    }
}

extension HTTPHeaders {
    /// The `Idempotency-Key`; `nil` if it is blank, because a server cannot recognize a repetition by it.
    var idempotencyKey: String? { self["Idempotency-Key"].flatMap { $0.isHTTPBlank ? nil : $0 } }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates a list from a literal; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field($0, $1) })
    }
}

extension HTTPHeaders: Sequence {
    /// Returns an iterator over the fields, in order.
    public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }
}

extension HTTPHeaders: CustomStringConvertible {
    /// The names of the fields; values may be secret and are not shown.
    public var description: String { "HTTPHeaders(\(fields.map(\.name).joined(separator: ", ")))" }
}

/// Header fields of a response that are created when they are first read.
protocol ReceivedFields: Sendable {
    /// All fields in order.
    var fields: [HTTPHeaders.Field] { get }
}
