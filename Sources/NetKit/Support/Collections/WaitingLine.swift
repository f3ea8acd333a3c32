/// First come, first served; those who wait can leave from anywhere.
struct WaitingLine<Member> {
    private var members: [Int: Member] = [:]
    /// The numbers in order of arrival, from `first` on; those who left are still in it.
    private var order: [Int] = []
    private var first = 0

    init() {}

    var count: Int { members.count }
    var isEmpty: Bool { members.isEmpty }

    mutating func append(_ number: Int, _ member: Member) {
        // Those who left have to go some day, also if nobody is let in meanwhile.
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
    mutating func remove(_ number: Int) -> Member? {
        members.removeValue(forKey: number)
    }
}
