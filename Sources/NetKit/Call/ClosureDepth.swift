/// The number of closures that wait for the current task, each one in a call that the previous one makes.
///
/// A closure whose own call needs the closure again would otherwise be called without end.
enum ClosureDepth {
    @TaskLocal static var current = 0
    /// The maximum number of such closures, which may be those of several clients.
    private static let max = 4

    /// Returns the number with one more closure, or throws an error with a message.
    static func next(or message: @autoclosure () -> String) throws(NetKitError) -> Int {
        guard current < max else { throw NetKitError(.invalidConfiguration, message()) }
        return current + 1
    }
}
