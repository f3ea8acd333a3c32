import Foundation

/// The writes of a repository that were handed over because they could not be sent, until they are forgotten.
struct HandedOverWrites {
    /// The names of an entity and of the list, which are the same for the list itself.
    struct Place: Sendable {
        let name: String
        let listName: String
    }

    /// The writes of each entity, oldest first, by the names of its list and of the entity.
    private var writes: [String: [String: [UUID]]] = [:]

    /// Returns whether there are writes of an entity, or of any entity of a list.
    func contains(_ place: Place) -> Bool {
        guard let entities = writes[place.listName] else { return false }
        return place.name == place.listName || entities[place.name] != nil
    }

    mutating func add(_ write: UUID, at place: Place) {
        writes[place.listName, default: [:]][place.name, default: []].append(write)
    }

    /// Notes the entry that a queue has made of a write, and removes the entries that left because of it.
    mutating func note(_ entry: UUID, for write: UUID, without others: [UUID], at place: Place) {
        for other in others {
            let name = writes[place.listName]?.first { $0.value.contains(other) }?.key
            if let name { remove(other, at: Place(name: name, listName: place.listName)) }
        }
        // The queue may have kept an earlier entry instead.
        let isKnown = writes[place.listName]?[place.name]?.contains(entry) ?? false
        change(place) { writes in
            guard let index = writes.firstIndex(of: write) else { return }
            if isKnown { writes.remove(at: index) } else { writes[index] = entry }
        }
    }

    mutating func remove(_ write: UUID, at place: Place) {
        change(place) { writes in writes.removeAll { $0 == write } }
    }

    /// Removes the oldest write of an entity.
    mutating func removeFirst(at place: Place) {
        change(place) { writes in writes.removeFirst() }
    }

    private mutating func change(_ place: Place, _ change: (inout [UUID]) -> Void) {
        guard var changed = writes[place.listName]?[place.name] else { return }
        change(&changed)
        writes[place.listName]?[place.name] = changed.isEmpty ? nil : changed
        if writes[place.listName]?.isEmpty == true { writes[place.listName] = nil }
    }
}
