/// An option of a subcommand: its names, its value, what it does, and how it is read.
struct CommandOption<Options>: Sendable {
    let page: CommandPage.Option
    let read: @Sendable (_ options: inout Options, _ value: String, _ name: String) throws -> Void

    /// Creates an option with a value.
    init(
        _ names: String...,
        value: String,
        _ text: String,
        read: @escaping @Sendable (_ options: inout Options, _ value: String, _ name: String) throws -> Void
    ) {
        self.init(page: .init(names: names, value: value, text: text), read: read)
    }

    /// Creates an option whose value is stored in a property, and cannot be empty, as that of an unset variable is.
    init(
        _ names: String...,
        value: String,
        _ text: String,
        _ property: any WritableKeyPath<Options, String?> & Sendable
    ) {
        self.init(page: .init(names: names, value: value, text: text)) { options, value, name in
            guard !value.isEmpty else { throw UsageError(message: "\(name) needs a value.") }
            options[keyPath: property] = value
        }
    }

    /// Creates an option without a value.
    init(_ names: String..., text: String, set: @escaping @Sendable (inout Options) throws -> Void) {
        self.init(page: .init(names: names, value: nil, text: text)) { options, _, _ in try set(&options) }
    }

    /// Returns the option for a type that has these options in a property.
    func part<Whole>(_ path: any WritableKeyPath<Whole, Options> & Sendable) -> CommandOption<Whole> {
        CommandOption<Whole>(page: page) { try read(&$0[keyPath: path], $1, $2) }
    }

    private init(
        page: CommandPage.Option,
        read: @escaping @Sendable (_ options: inout Options, _ value: String, _ name: String) throws -> Void
    ) {
        (self.page, self.read) = (page, read)
    }
}

/// The words and options of a subcommand, from which its help, the completions and the manual are made.
struct CommandSyntax<Options>: Sendable {
    /// The name of the subcommand.
    let name: String
    /// The words after the name.
    let words: String
    /// The options, in groups with a title.
    let groups: [(title: String, options: [CommandOption<Options>])]
    /// Further paragraphs of the help.
    let notes: String
    /// The actions, one of which has to be the first word; empty if the subcommand has none.
    var actions: [String] = []

    /// Reads arguments and returns those that are not options.
    ///
    /// `--name=value` is the same as `--name value`, and `-nvalue` as `-n value`; `-ab` is the same as `-a -b`. After
    /// `--`, nothing is an option.
    func read(_ arguments: [String], into options: inout Options) throws -> [String] {
        var (rest, words) = (arguments[...], [String]())
        while let argument = rest.popFirst() {
            if argument == "--" { return words + rest }
            guard argument.hasPrefix("-"), argument != "-" else {
                words.append(argument)
                continue
            }
            let isLong = argument.hasPrefix("--")
            let name = String(isLong ? argument.prefix { $0 != "=" } : argument.prefix(2))
            if CommandPage.helpOption.names.contains(name) { throw UsageError.help }
            let attached = argument.count > name.count ? String(argument.dropFirst(name.count + (isLong ? 1 : 0))) : nil
            guard let option = groups.lazy.flatMap(\.options).first(where: { $0.page.names.contains(name) }) else {
                throw UsageError.unknownOption(name)
            }
            if option.page.value == nil {
                if let attached {
                    // A hyphen would make a long option of the next one, or end the options.
                    if isLong || attached.first == "-" { throw UsageError(message: "\(name) takes no value.") }
                    rest = ["-\(attached)"] + rest
                }
                try option.read(&options, "", name)
            } else {
                let value = try attached ?? rest.takeValue(of: name)
                do {
                    try option.read(&options, value, name)
                } catch let error as UsageError {
                    throw error.masking(value)
                }
            }
        }
        return words
    }

    /// The subcommand without the type of its options.
    var page: CommandPage {
        CommandPage(
            name: name,
            words: words,
            groups: groups.map { ($0.title, $0.options.map(\.page)) },
            notes: notes,
            actions: actions
        )
    }
}

extension CommandSyntax {
    /// Creates the syntax of a subcommand whose options form one group.
    init(name: String, words: String, options: [CommandOption<Options>], notes: String, actions: [String] = []) {
        self.init(name: name, words: words, groups: [("", options)], notes: notes, actions: actions)
    }
}

/// The documentation of a subcommand.
struct CommandPage: Sendable {
    struct Option: Sendable {
        let names: [String]
        /// The name of the value; `nil` if the option has none.
        let value: String?
        let text: String

        /// The names and the value, such as `-X, --method <method>`.
        var head: String { names.joined(separator: ", ") + (value.map { " <\($0)>" } ?? "") }
    }

    let name: String
    let words: String
    let groups: [(title: String, options: [Option])]
    let notes: String
    let actions: [String]

    static let helpOption = Option(names: ["-h", "--help"], value: nil, text: "show this help")

    /// Every option, including the one for the help.
    var options: [Option] { groups.flatMap(\.options) + [Self.helpOption] }

    var usage: String { "Usage: netkit \(name)\(words.isEmpty ? "" : " \(words)")" }

    /// The help of the subcommand.
    var help: String {
        let width = min(26, options.map(\.head.count).max() ?? 0)
        var blocks = [usage]
        for (index, group) in groups.enumerated() {
            let isLast = index == groups.count - 1
            let lines = (group.options + (isLast ? [Self.helpOption] : [])).map { Self.line($0, width) }
            blocks.append(((group.title.isEmpty ? [] : ["\(group.title):"]) + lines).joined(separator: "\n"))
        }
        return (blocks + [notes, ExitCode.table]).filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static func line(_ option: Option, _ width: Int) -> String {
        let head = "  \(option.head)"
        guard option.head.count <= width else {
            return "\(head)\n\(String(repeating: " ", count: width + 4))\(option.text)"
        }
        return head + String(repeating: " ", count: width - option.head.count + 2) + option.text
    }
}

extension RawRepresentable<String> {
    /// Creates the action that the first of a command's words names.
    init(firstOf words: [String]) throws {
        guard let first = words.first else { throw UsageError(message: "the action is missing.") }
        guard let action = Self(rawValue: first) else {
            throw UsageError(message: "there is no action \"\(first.withoutPassword)\".")
        }
        self = action
    }
}
