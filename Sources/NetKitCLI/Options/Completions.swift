/// The completions of shells, and the manual, made from the options of the subcommands.
enum Completions {
    /// The shells with completions.
    static let shells = ["bash", "zsh", "fish"]

    /// Returns the completions for a shell; `nil` if it is unknown.
    static func script(for shell: String, _ pages: [CommandPage]) -> String? {
        switch shell {
        case "bash": bash(pages)
        case "zsh": "#compdef netkit\nautoload -U +X bashcompinit && bashcompinit\n" + bash(pages)
        case "fish": fish(pages)
        default: nil
        }
    }

    /// The commands, each with the words that may follow it: actions, shells or commands.
    private static func commands(_ pages: [CommandPage]) -> [(name: String, words: [String])] {
        let names = pages.map(\.name) + ["completions", "manual"]
        return pages.map { ($0.name, $0.actions) } + [("completions", shells), ("manual", []), ("help", names)]
    }

    private static func bash(_ pages: [CommandPage]) -> String {
        let cases = commands(pages).map { name, words in
            let options = pages.first { $0.name == name }?.options.flatMap(\.names) ?? ["-h", "--help"]
            let (marked, plain) = (options.joined(separator: " "), words.joined(separator: " "))
            return "        \(name)) options=\"\(marked)\" words=\"\(plain)\" ;;"
        }
        return """
            _netkit() {
                local word=${COMP_WORDS[COMP_CWORD]} options="-h --help --version" words=
                case ${COMP_WORDS[1]} in
            \(cases.joined(separator: "\n"))
                esac
                [ "$COMP_CWORD" -gt 1 ] || words="\(commands(pages).map(\.name).joined(separator: " "))"
                [ "$COMP_CWORD" -le 2 ] || words=
                [[ $word != -* ]] || words=$options
                COMPREPLY=($(compgen -W "$words" -- "$word"))
            }
            complete -o default -F _netkit netkit
            """
    }

    private static func fish(_ pages: [CommandPage]) -> String {
        let names = commands(pages).map(\.name).joined(separator: " ")
        let start = "complete -c netkit -n __fish_use_subcommand"
        var lines = ["\(start) -f -a '\(names)'", "\(start) -l version -d 'show the version'"]
        for (name, words) in commands(pages) where !words.isEmpty {
            let words = words.joined(separator: " ")
            let place = "__fish_seen_subcommand_from \(name); and not __fish_seen_subcommand_from \(words)"
            lines.append("complete -c netkit -n '\(place)' -f -a '\(words)'")
        }
        for page in pages {
            for option in page.options {
                let names = option.names.map { name in
                    name.hasPrefix("--") ? "-l \(name.dropFirst(2))" : "-s \(name.dropFirst())"
                }
                let value = option.value == nil ? "" : " -r"
                let text = option.text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
                let place = "complete -c netkit -n '__fish_seen_subcommand_from \(page.name)'"
                lines.append("\(place) \(names.joined(separator: " "))\(value) -d '\(text)'")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The manual in the format of `man`.
    static func manual(_ pages: [CommandPage], version: String) -> String {
        func escaped(_ text: String) -> String {
            text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("…", with: "...").split(
                separator: "\n",
                omittingEmptySubsequences: false
            )
            .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&\($0)" : String($0) }
            .joined(separator: "\n")
        }
        var lines = [
            ".TH NETKIT 1 \"\" \"netkit \(version)\"", ".SH NAME",
            "netkit \\- send HTTP requests, and inspect offline queues and databases",
            ".SH SYNOPSIS", ".B netkit", "\\fIcommand\\fR [\\fIarguments\\fR]",
        ]
        for page in pages {
            lines += [
                ".SH NETKIT \(page.name.uppercased())", ".B \(escaped("netkit \(page.name)"))", escaped(page.words),
            ]
            for option in page.options { lines += [".TP", ".B \(escaped(option.head))", escaped(option.text)] }
            if !page.notes.isEmpty { lines += [".PP", escaped(page.notes)] }
        }
        lines += [".SH EXIT STATUS"]
        for (code, text) in ExitCode.meanings { lines += [".TP", ".B \(code)", escaped(text)] }
        return lines.joined(separator: "\n")
    }
}
