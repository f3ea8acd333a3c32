/// A value behind a pointer, which keeps its owner small if the value is rare or large.
final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Box: Equatable where Value: Equatable {
    static func == (left: Box, right: Box) -> Bool { left.value == right.value }
}

extension Box: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
