/// Values of your own that belong to a call, each found by its type.
///
/// ```swift
/// struct Feature: CallTag { var name: String }
/// options.tags[Feature.self] = Feature(name: "checkout")
/// // in an interceptor: context.tags[Feature.self]?.name
/// ```
public struct CallTags: Sendable {
    private var values: [ObjectIdentifier: any CallTag] = [:]

    /// Creates an empty set.
    public init() {}

    /// Whether there are no values.
    public var isEmpty: Bool { values.isEmpty }

    /// Whether there are values that NetKit does not know, from which an interceptor may derive parts of the request.
    var hasForeignValues: Bool { !values.isEmpty && values.values.contains { !($0 is any OwnCallTag) } }

    /// The value of a type; `nil` if there is none.
    public subscript<Tag: CallTag>(_ type: Tag.Type) -> Tag? {
        get { values[ObjectIdentifier(type)].flatMap { $0 as? Tag } }
        set { values[ObjectIdentifier(type)] = newValue }
    }

    /// Adds the values of another set whose types are missing in this one.
    mutating func fill(from other: CallTags) {
        if !other.isEmpty { values.merge(other.values) { own, _ in own } }
    }
}

/// A value that can belong to a call.
public protocol CallTag: Sendable {}

/// A tag of NetKit's own, which changes no request.
protocol OwnCallTag: CallTag {}
