/// A first-come, first-served line, which any member can leave.
struct WaitingLine<Member> {
    private var members: [Int: Member] = [:]
    /// The numbers in order of arrival, from `first` on, including those of members that left.
    private var order: [Int] = []
    private var first = 0

    var count: Int { members.count }
    var isEmpty: Bool { members.isEmpty }

    mutating func append(_ number: Int, _ member: Member) {
        // The numbers of members that left have to be removed, even if no member is taken out meanwhile.
        if order.count > 2 * members.count + 64 {
            order = order[first...].filter { members[$0] != nil }
            first = 0
        }
        order.append(number)
        members[number] = member
    }

    mutating func popFirst() -> (number: Int, member: Member)? {
        if order.isEmpty { return nil }
        while first < order.count {
            let number = order[first]
            first += 1
            if let member = members.removeValue(forKey: number) { return (number, member) }
        }
        order.removeAll(keepingCapacity: true)
        first = 0
        return nil
    }

    @discardableResult
    mutating func remove(_ number: Int) -> Member? { members.removeValue(forKey: number) }
}
