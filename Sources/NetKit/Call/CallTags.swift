/// Values of your own that belong to a call, each found by its type.
///
/// ```swift
/// struct Feature: CallTag { var name: String }
/// options.tags[Feature.self] = Feature(name: "checkout")
/// // in an interceptor: context.tags[Feature.self]?.name
/// ```
public struct CallTags: Sendable {
    /// A call has few values, so that a dictionary would only make each search slower.
    private var values: [(type: ObjectIdentifier, value: any CallTag)] = []

    /// Creates an empty set.
    public init() {}

    /// Whether there are no values.
    public var isEmpty: Bool { values.isEmpty }

    /// Whether there are values that NetKit does not know, from which an interceptor may derive parts of the request.
    var hasForeignValues: Bool { values.contains { !($0.value is any OwnCallTag) } }

    /// The value of a type; `nil` if there is none.
    public subscript<Tag: CallTag>(_ type: Tag.Type) -> Tag? {
        get { values.first { $0.type == ObjectIdentifier(type) }.flatMap { $0.value as? Tag } }
        set {
            values.removeAll { $0.type == ObjectIdentifier(type) }
            if let newValue { values.append((ObjectIdentifier(type), newValue)) }
        }
    }

    /// Adds the values of another set whose types are missing in this one.
    mutating func fill(from other: CallTags) {
        for tag in other.values where !values.contains(where: { $0.type == tag.type }) { values.append(tag) }
    }
}

/// A value that can belong to a call.
public protocol CallTag: Sendable {}

/// A tag of NetKit's own, which changes no request.
protocol OwnCallTag: CallTag {}
