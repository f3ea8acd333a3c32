import CNetKitPostgres
import Foundation
import NetKit

/// A queue of commands for a loop's thread, which wakes it.
final class PostgresInbox: Sendable {
    enum Command: Sendable {
        case run(PostgresJob)
        /// The caller of a statement no longer waits for it.
        case cancel(UInt64)
        case listen(key: UInt64, channel: String, take: @Sendable (PostgresNotice) -> Void)
        case stopListening(key: UInt64)
        /// A name of an attempt to connect has been looked up.
        case resolved(slot: Int, attempt: Int, number: Int, PostgresSlot.Lookup)
        /// A request to cancel a statement has been sent.
        case cancelSent(slot: Int)
        /// A statement that still runs after such a request may have begun after it.
        case cancelAgain(slot: Int, id: UInt64)
        /// An alarm has fired.
        case wake
        case close(deadline: NetKitClock.Instant, done: @Sendable () -> Void)
    }

    /// The end of the pipe at which the thread waits.
    let descriptor: Int32
    private let wakingEnd: Int32

    private struct State {
        var commands: [Command] = []
        var isClosed = false
    }

    private let state = Locked(State())

    init() throws {
        var (reading, writing): (Int32, Int32) = (-1, -1)
        guard nk_pg_wake_create(&reading, &writing) == 0 else {
            throw NetKitError(
                .storeUnavailable,
                "The system has no more file descriptors for a connection to the database. "
                    + "Raise the limit of open files, or close files and connections."
            )
        }
        (descriptor, wakingEnd) = (reading, writing)
    }

    deinit {
        nk_pg_close(descriptor)
        nk_pg_close(wakingEnd)
    }

    /// Adds a command.
    ///
    /// - Returns: `false` after `close`.
    @discardableResult
    func post(_ command: Command) -> Bool {
        let (isOpen, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.commands.append(command)
            return (true, state.commands.count == 1)
        }
        if isFirst { nk_pg_wake(wakingEnd) }
        return isOpen
    }

    func take() -> [Command] { state.withLock { exchange(&$0.commands, with: []) } }

    /// Refuses all commands from now on, because the thread ends.
    ///
    /// - Returns: The commands that were not taken.
    func close() -> [Command] {
        state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.commands
        }
    }
}

/// A message to a listener.
enum PostgresNotice: Sendable {
    /// The payload of a notification.
    case message(String)
    /// Notifications may have been missed: listening begins, or began again after a connection was lost.
    case missed
}
