/// The parsed command line.
struct BenchCommand: Equatable, Sendable {
    enum Task: Equatable, Sendable {
        case help
        case list
        case scenarios([String])
        /// An empty list stands for every probe.
        case probes([String])
    }

    var task = Task.help
    var settings = BenchSettings()
    var html: String?
    var json: String?
    var markdown: String?

    init() {}

    /// Reads the arguments after the command's name.
    init(_ arguments: [String], scenarios: [String], probes: [String]) throws(UsageError) {
        var names: [String] = []
        var rest = arguments[...]
        var wantsList = false
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                self = BenchCommand()
                return
            case "--list": wantsList = true
            case "--rounds": settings.rounds = Int(try Self.number(for: argument, from: &rest, upTo: 10_000))
            case "--seed": settings.seed = try Self.number(for: argument, from: &rest, upTo: .max, least: 0)
            case "--calls":
                settings.calls = Int(try Self.number(for: argument, from: &rest, upTo: 1_000_000_000, least: 1000))
            case "--slow-megabytes":
                settings.slowMegabytes = Int(try Self.number(for: argument, from: &rest, upTo: 200))
            case "--callers": settings.callers = try Self.numbers(for: argument, from: &rest)
            case "--server": settings.server = try Self.choice(for: argument, from: &rest)
            case "--html": html = try Self.value(for: argument, from: &rest)
            case "--json": json = try Self.value(for: argument, from: &rest)
            case "--markdown": markdown = try Self.value(for: argument, from: &rest)
            case _ where argument.hasPrefix("-"): throw UsageError("There is no option \(argument).")
            default: names.append(argument)
            }
        }
        if wantsList {
            task = .list
        } else if names.first == "probes" {
            task = .probes(try Self.known(Array(names.dropFirst()), among: probes, kind: "probe"))
            guard html == nil, json == nil else { throw UsageError("Probes are written with --markdown.") }
        } else if names.isEmpty {
            guard arguments.isEmpty else { throw UsageError("Name a scenario, `all` or `probes`.") }
        } else {
            if names.contains("probes") { throw UsageError("`probes` stands first, and runs alone.") }
            task = .scenarios(
                names.contains("all") ? scenarios : try Self.known(names, among: scenarios, kind: "scenario")
            )
            guard markdown == nil else {
                throw UsageError("--markdown is for probes; scenarios have --html and --json.")
            }
        }
    }

    private static func known(_ names: [String], among all: [String], kind: String) throws(UsageError) -> [String] {
        var chosen: [String] = []
        for name in names {
            guard all.contains(name) else {
                throw UsageError("There is no \(kind) \"\(name)\". There are: \(all.joined(separator: ", ")).")
            }
            if !chosen.contains(name) { chosen.append(name) }
        }
        return chosen
    }

    private static func value(for option: String, from rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
            throw UsageError("\(option) needs a value.")
        }
        return value
    }

    private static func choice(for option: String, from rest: inout ArraySlice<String>) throws(UsageError)
        -> ServerChoice
    {
        let text = try value(for: option, from: &rest)
        guard let choice = ServerChoice(rawValue: text) else {
            let all = ServerChoice.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("\(option) is one of \(all), not \"\(text)\".")
        }
        return choice
    }

    private static func number(
        for option: String,
        from rest: inout ArraySlice<String>,
        upTo limit: UInt64,
        least: UInt64 = 1
    ) throws(UsageError) -> UInt64 {
        try number(value(for: option, from: &rest), for: option, upTo: limit, least: least)
    }

    private static func number(
        _ text: String,
        for option: String,
        upTo limit: UInt64,
        least: UInt64
    ) throws(UsageError) -> UInt64 {
        guard let number = UInt64(text), number >= least, number <= limit else {
            throw UsageError("\(option) needs whole numbers from \(least) to \(limit), not \"\(text)\".")
        }
        return number
    }

    private static func numbers(for option: String, from rest: inout ArraySlice<String>) throws(UsageError) -> [Int] {
        var numbers: [Int] = []
        for part in try value(for: option, from: &rest).split(separator: ",", omittingEmptySubsequences: false) {
            numbers.append(Int(try number(String(part), for: option, upTo: 10_000, least: 1)))
        }
        return numbers
    }
}
