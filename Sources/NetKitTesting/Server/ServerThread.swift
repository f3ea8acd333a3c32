import Dispatch
import Foundation

/// The threads of a server: small stacks, a name, and a group that tells when they have ended.
enum ServerThread {
    static func start(name: String, in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        let thread = Thread {
            body()
            group.leave()
        }
        thread.name = name
        thread.stackSize = 256 << 10
        thread.start()
    }

    /// Whether the caller runs on a thread of that name, which therefore must not be waited for.
    static func isCurrent(_ name: String) -> Bool { Thread.current.name == name }
}
