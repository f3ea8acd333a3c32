/// Values of your own that travel with a call, found by their type.
///
/// ```swift
/// struct Feature: CallTag { var name: String }
/// options.tags[Feature.self] = Feature(name: "checkout")
/// // in an interceptor: context.tags[Feature.self]?.name
/// ```
public struct CallTags: Sendable {
    private var values: [ObjectIdentifier: any CallTag] = [:]

    /// Makes an empty set.
    public init() {}

    /// Whether nothing travels along.
    public var isEmpty: Bool { values.isEmpty }

    /// The value of a type, if the call carries one.
    public subscript<Tag: CallTag>(_ type: Tag.Type) -> Tag? {
        get { values[ObjectIdentifier(type)] as? Tag }
        set { values[ObjectIdentifier(type)] = newValue }
    }

    /// Takes over what is not there yet.
    mutating func fill(from other: CallTags) {
        if !other.isEmpty { values.merge(other.values) { own, _ in own } }
    }
}

/// A value that can travel with a call.
public protocol CallTag: Sendable {}
