/// A reference that does not keep its object alive, for closures that are created before the object.
final class WeakBox<Object: AnyObject & Sendable>: Sendable {
    private struct Reference: Sendable {
        weak var object: Object?
    }

    private let reference = Locked(Reference())

    /// The object, while it is alive.
    var object: Object? { reference.withLock { $0.object } }

    func set(_ object: Object) { reference.withLock { $0.object = object } }
}
