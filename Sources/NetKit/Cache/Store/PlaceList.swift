/// Values at numbered places, which grow piece by piece: what is there is never copied to make room.
struct PlaceList<Value> {
    private static var pieceSize: Int { 1024 }

    private var pieces: [[Value]] = []
    private var free: [Int] = []
    private var used = 0

    subscript(_ place: Int) -> Value {
        get { pieces[place / Self.pieceSize][place % Self.pieceSize] }
        set { pieces[place / Self.pieceSize][place % Self.pieceSize] = newValue }
        _modify { yield &pieces[place / Self.pieceSize][place % Self.pieceSize] }
    }

    /// Puts a value at a free place, and gives the place.
    mutating func insert(_ value: Value) -> Int {
        if let place = free.popLast() {
            self[place] = value
            return place
        }
        if used % Self.pieceSize == 0 {
            pieces.append([])
            pieces[pieces.count - 1].reserveCapacity(Self.pieceSize)
        }
        pieces[pieces.count - 1].append(value)
        used += 1
        return used - 1
    }

    /// Frees a place, where a value stays that takes no room.
    mutating func remove(_ place: Int, leaving value: Value) {
        self[place] = value
        free.append(place)
    }
}

extension PlaceList: Sendable where Value: Sendable {}
