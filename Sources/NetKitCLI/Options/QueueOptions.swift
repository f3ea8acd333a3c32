import Foundation

/// The arguments of `netkit queue`.
struct QueueOptions: Equatable {
    enum Action: String, CaseIterable {
        case list
        case show
        case retry
        case remove
        case export
        case verify

        /// Whether the action needs an entry.
        var needsEntry: Bool { self == .show || self == .retry || self == .remove }
    }

    var action = Action.list
    var folder = URL(fileURLWithPath: "/")
    /// The URL of the database that has the queue; `nil` if a folder has it.
    var database: String?
    /// The schema of the database.
    var schema = "netkit"
    /// The name of the queue in the database.
    var queue = ""
    /// The identifier of an entry, or its beginning.
    var entry: String?
    var showsJSON = false

    static let syntax = CommandSyntax<QueueOptions>(
        name: "queue",
        words: "<action> <folder> [<entry>] [options]",
        options: [
            .init(
                "--database",
                value: "url",
                "a queue of NetKitPostgres; give its name instead of a folder",
                \.database
            ),
            .schema(\.schema),
            .init("--json", text: "print JSON instead of text") { $0.showsJSON = true },
        ],
        notes: """
            Actions:
              list <folder>            list the entries, oldest first
              show <folder> <entry>    show one entry with its body; of a dead letter or conflict, also the reason
              retry <folder> <entry>   send an entry again as soon as its service runs
              remove <folder> <entry>  remove an entry
              export <folder>          print every entry as a line of JSON
              verify <folder>          look for damage, without changing anything

            An entry is named by its identifier, or by the beginning of it. `retry` and `remove` need exclusive access: stop
            the service that uses the queue, and be its user. The other actions only read. `verify` exits with 1 if it finds
            damage, and `export` if it has to leave something out: an entry that cannot be read, damage, or a record of a
            newer version.

            With `--database`, `retry` and `remove` work beside the services, and there is no `verify`:
            netkit queue list orders --database postgresql://db.example.com/shop

            Other users of the machine can see the URL. Leave the password out, and set PGPASSWORD or use ~/.pgpass.
            """,
        actions: Action.allCases.map(\.rawValue)
    )

    init(_ arguments: [String]) throws {
        let words = try Self.syntax.read(arguments, into: &self)
        action = try Action(firstOf: words)
        guard words.count > 1 else {
            throw UsageError(message: database == nil ? "the folder is missing." : "the queue's name is missing.")
        }
        if database != nil, action == .verify {
            throw UsageError(message: "verify looks for damage in a folder; a database does that itself.")
        }
        if database == nil, schema != "netkit" { throw UsageError(message: "--schema needs --database.") }
        if database == nil {
            guard !words[1].contains("://") else {
                throw UsageError(message: "the URL of a database is the value of --database.")
            }
            folder = try .file(words[1])
        }
        queue = words[1]
        if action.needsEntry {
            guard words.count > 2 else { throw UsageError(message: "the entry is missing.") }
            guard words[2].count >= 4, words[2].allSatisfy({ $0.isHexDigit || $0 == "-" }) else {
                let hint = "Give at least four characters of one that `list` shows."
                throw UsageError(message: "\"\(words[2].withoutPassword)\" is not the identifier of an entry. \(hint)")
            }
            entry = words[2]
        }
        let known = action.needsEntry ? 3 : 2
        guard words.count <= known else { throw UsageError.unexpected(words[known]) }
    }
}
