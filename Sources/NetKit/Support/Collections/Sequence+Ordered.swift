extension Sequence {
    /// The elements in the order of their names; equal ones stay in the order they have.
    ///
    /// Every element type that is sorted has the compiler make a sort of its own, and optimise it. Sorting by a name or
    /// a number shares these two.
    func orderedByName(_ name: (Element) -> String) -> [Element] {
        let elements = Array(self)
        return SortOrder.of(elements.map(name)).map { elements[$0] }
    }

    /// The elements in the order of their numbers; equal ones stay in the order they have.
    func orderedByNumber(_ number: (Element) -> Int64) -> [Element] {
        let elements = Array(self)
        return SortOrder.of(elements.map(number)).map { elements[$0] }
    }
}

extension Sequence<String> {
    /// The texts in their order.
    func ordered() -> [String] { orderedByName(\.self) }
}

extension Dictionary where Key == String {
    /// The pairs in the order of their keys.
    var orderedByKey: [Element] { orderedByName(\.key) }
}

/// The positions of the elements of a list in its order.
private enum SortOrder {
    @inline(never) static func of(_ names: [String]) -> [Int] {
        names.indices.sorted { names[$0] != names[$1] ? names[$0] < names[$1] : $0 < $1 }
    }

    @inline(never) static func of(_ numbers: [Int64]) -> [Int] {
        numbers.indices.sorted { (numbers[$0], $0) < (numbers[$1], $1) }
    }
}
