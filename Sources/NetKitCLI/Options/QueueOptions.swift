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

    var action: Action
    var folder: URL
    var entry: UUID?
    var showsJSON = false

    static let help = """
        Usage: netkit queue <action> <folder> [<entry>] [--json]

          list <folder>            list the entries, oldest first
          show <folder> <entry>    show one entry with its body and the reason why it waits
          retry <folder> <entry>   send an entry again as soon as its service runs
          remove <folder> <entry>  remove an entry
          export <folder>          print every entry as a line of JSON
          verify <folder>          look for damage, without changing anything
          --json                   print JSON instead of text

        `retry` and `remove` need exclusive access: stop the service that uses the queue. The other actions only read.
        The exit code is 0, 1 for a failure or damage, 2 for wrong arguments.
        """

    init(_ arguments: [String]) throws {
        var words: [String] = []
        for argument in arguments {
            switch argument {
            case "-h", "--help": throw UsageError.help
            case "--json": showsJSON = true
            case _ where argument.hasPrefix("-"): throw UsageError.unknownOption(argument)
            default: words.append(argument)
            }
        }
        guard let first = words.first else { throw UsageError(message: "the action is missing.") }
        guard let action = Action(rawValue: first) else {
            throw UsageError(message: "there is no action \"\(first)\".")
        }
        self.action = action
        guard words.count > 1 else { throw UsageError(message: "the folder is missing.") }
        folder = URL(fileURLWithPath: words[1])
        if action.needsEntry {
            guard words.count > 2 else { throw UsageError(message: "the entry is missing.") }
            guard let id = UUID(uuidString: words[2]) else {
                throw UsageError(message: "\"\(words[2])\" is not the identifier of an entry; `list` shows them.")
            }
            entry = id
        }
        let known = action.needsEntry ? 3 : 2
        guard words.count <= known else { throw UsageError.unexpected(words[known]) }
    }
}
