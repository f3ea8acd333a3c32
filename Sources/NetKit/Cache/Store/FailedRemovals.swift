/// The removals that a store refused, so that nothing outdated is used before they have been repeated.
///
/// Beyond a bound, it is not known any more which names they concern, and everything in the store counts as outdated.
struct FailedRemovals<Name: Hashable & Sendable>: Sendable {
    /// The removal of a name, or of everything.
    struct Removal: Sendable {
        /// The name, or `nil` for everything.
        let name: Name?
        fileprivate let number: UInt64
    }

    private static var maxNames: Int { 1_000 }

    /// The number of the latest failure of each name.
    private var numbers: [Name: UInt64] = [:]
    /// The number of the latest failure, if there have been too many.
    private var numberOfAll: UInt64?
    private var latest: UInt64 = 0

    /// Notes that the removal of a name failed.
    mutating func add(_ name: Name) {
        latest += 1
        if numberOfAll == nil, numbers[name] != nil || numbers.count < Self.maxNames {
            numbers[name] = latest
        } else {
            (numbers, numberOfAll) = ([:], latest)
        }
    }

    /// Returns the removal to repeat before a name is used; `nil` if there is none.
    func removal(for name: Name) -> Removal? {
        if let numberOfAll { return Removal(name: nil, number: numberOfAll) }
        // An empty dictionary would hash the name all the same.
        guard !numbers.isEmpty, let number = numbers[name] else { return nil }
        return Removal(name: name, number: number)
    }

    /// Forgets a removal that was repeated, unless it has failed for a later change meanwhile.
    mutating func remove(_ repeated: Removal) {
        if let name = repeated.name {
            if numbers[name] == repeated.number { numbers[name] = nil }
        } else if numberOfAll == repeated.number {
            numberOfAll = nil
        }
    }
}
