import Foundation
import NetKit
import NetKitPostgres

/// The place of a queue's entries, as `netkit queue` reads and changes it.
protocol QueuePlace: Sendable {
    /// A sentence about what is in the place and not among its entries; `nil` if there is nothing.
    var omission: String? { get }

    /// Returns all entries, in order.
    func entries() async throws -> [OfflineEntry]

    /// Reads an entry; `nil` if there is no such entry.
    func load(_ id: UUID) async throws -> Result<StoredRequest, NetKitError>?

    /// Makes an entry due now; throws if it is gone.
    func retry(_ id: UUID) async throws

    /// Removes an entry, and throws if it is gone; returns `false` if its owner was asked to remove it.
    func remove(_ id: UUID) async throws -> Bool
}

/// The folder of a queue, which one process at a time opens.
final class QueueFolder: QueuePlace {
    /// The content of the folder when it was opened again, and the entries that could not be read even then.
    private struct Reopened {
        let content: OfflineFolder
        let unreadable: Set<UUID>

        init(_ folder: URL) throws {
            let content = try OfflineFolder(folder)
            self.content = content
            unreadable = Set(
                content.entries.lazy.map(\.id).filter { id in
                    if case .failure? = content.load(id) { true } else { false }
                }
            )
        }
    }

    private let folder: URL
    private let content: OfflineFolder
    private let reopened = Locked<Reopened?>(nil)

    init(_ folder: URL) throws {
        self.folder = folder
        content = try OfflineFolder(folder)
    }

    var omission: String? {
        var parts: [String] = []
        if content.unknownCount > 0 { parts.append("\(content.unknownCount.counting("record")) of a newer version") }
        if !content.damage.isEmpty { parts.append(content.damage.count.counting("damaged part")) }
        return parts.isEmpty ? nil : "Not shown: \(parts.joined(separator: ", ")). Run `netkit queue verify`."
    }

    func entries() -> [OfflineEntry] { content.entries }

    func load(_ id: UUID) throws -> Result<StoredRequest, NetKitError>? {
        let latest = reopened.withLock { $0 }
        let found = (latest?.content ?? content).load(id)
        guard case .failure? = found, latest?.unreadable.contains(id) != true else { return found }
        // Since the folder was opened, the process that uses it may have sent the entry or moved its record.
        let newer = try Reopened(folder)
        reopened.withLock { $0 = newer }
        return newer.content.load(id)
    }

    func retry(_ id: UUID) async throws {
        try await withQueue { try await $0.retry(id) }
    }

    func remove(_ id: UUID) async throws -> Bool {
        try await withQueue { try await $0.remove(id) }
        return true
    }

    private func withQueue(_ change: (OfflineQueue) async throws -> Void) async throws {
        try checkUser()
        let queue = try await OfflineQueue(directory: folder)
        try await finishing({ try await change(queue) }, with: { await queue.close() })
    }

    /// Checks that the queue belongs to the user of the command; its service could not open another user's files.
    private func checkUser() throws {
        let path = folder.path(percentEncoded: false)
        var info = stat()
        guard stat(folder.appending(path: "lock").path(percentEncoded: false), &info) == 0,
            info.st_uid != geteuid()
        else { return }
        throw NetKitError(
            .file,
            "The queue in \"\(path)\" belongs to the user with the ID \(info.st_uid), whose service could not open files "
                + "of another user. Run the command as that user, for example with `sudo -u '#\(info.st_uid)'`."
        )
    }
}

/// A queue in a database, which is read and changed beside the processes that send from it.
struct QueueInDatabase: QueuePlace {
    private static let pageSize = 1000

    private let outbox: PostgresOutbox

    var omission: String? { nil }

    /// Finds a queue, without creating it.
    init(_ name: String, in database: Postgres) async throws {
        let names = try await database.queueNames()
        guard names.contains(name) else {
            let known = names.isEmpty ? "There is none." : "There are: \(names.joined(separator: ", "))."
            throw NetKitError(.invalidRequest, "The database has no queue \"\(name)\". \(known)")
        }
        outbox = database.outbox(name)
    }

    func entries() async throws -> [OfflineEntry] {
        var entries: [OfflineEntry] = []
        while true {
            let page = try await outbox.browse(
                OfflineFilter(),
                after: entries.last?.position,
                limit: Self.pageSize
            )
            entries += page
            if page.count < Self.pageSize { return entries }
        }
    }

    func load(_ id: UUID) async throws -> Result<StoredRequest, NetKitError>? { try await outbox.load([id])[id] }

    func retry(_ id: UUID) async throws {
        guard try await !outbox.revive([id]).isEmpty else { throw Self.gone(id) }
    }

    func remove(_ id: UUID) async throws -> Bool {
        let removal = try await outbox.remove([id])
        guard !removal.removed.isEmpty || !removal.asked.isEmpty else { throw Self.gone(id) }
        return !removal.removed.isEmpty
    }

    /// Returns the error of an entry that left after it was listed.
    private static func gone(_ id: UUID) -> NetKitError {
        NetKitError(.invalidRequest, "There is no entry \(id) anymore. It was delivered or removed meanwhile.")
    }
}
