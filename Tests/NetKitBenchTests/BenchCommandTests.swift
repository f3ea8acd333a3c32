import Testing

@testable import netkit_bench

/// Tests of the command line, and of the messages about an invalid one.
struct BenchCommandTests {
    private func command(_ line: String) throws(UsageError) -> BenchCommand {
        let arguments = line.split(separator: " ").map(String.init)
        return try BenchCommand(arguments, scenarios: ["pipeline", "get"], probes: ["trailer", "fuzz"])
    }

    @Test(arguments: [
        ("", BenchCommand.Task.help),
        ("--help", .help),
        ("get --rounds 3 -h", .help),
        ("--list", .list),
        ("get", .scenarios(["get"])),
        ("get pipeline get", .scenarios(["get", "pipeline"])),
        ("all", .scenarios(["pipeline", "get"])),
        ("all get", .scenarios(["pipeline", "get"])),
        ("probes", .probes([])),
        ("probes fuzz trailer", .probes(["fuzz", "trailer"])),
    ])
    func namesChooseTheTask(_ line: String, _ expected: BenchCommand.Task) throws {
        #expect(try command(line).task == expected)
    }

    @Test func optionsStandAnywhere() throws {
        let command = try command(
            "--rounds 3 get --callers 1,8 --seed 0 --calls 5000 --slow-megabytes 7 --server mock --html a.html --json b.json"
        )
        #expect(command.settings.rounds == 3)
        #expect(command.settings.callers == [1, 8])
        #expect(command.settings.seed == 0)
        #expect(command.settings.calls == 5000)
        #expect(command.settings.slowMegabytes == 7)
        #expect(command.settings.server == .mock)
        #expect(command.html == "a.html")
        #expect(command.json == "b.json")
        #expect(try self.command("probes --markdown c.md").markdown == "c.md")
    }

    @Test func anOmittedSettingHasItsDefault() throws {
        let command = try command("get")
        #expect(command.settings.rounds == nil)
        #expect(command.settings.calls == nil)
        #expect(command.settings.slowMegabytes == nil)
        #expect(command.settings.callers == [1, 16, 64, 256])
        #expect(command.settings.server == .automatic)
    }

    @Test func theHelpNamesEachScenarioThatTheNumberOfCallsChanges() throws {
        let line = try #require(BenchHelp.text.split(separator: "\n").first { $0.contains("--calls") })
        for name in ["`soak`", "`cache`"] { #expect(line.contains(name)) }
    }

    @Test(arguments: [
        ("nonsense", "There is no scenario \"nonsense\". There are: pipeline, get."),
        ("probes get", "There is no probe \"get\". There are: trailer, fuzz."),
        ("get probes", "`probes` stands first, and runs alone."),
        ("get --fast", "There is no option --fast."),
        ("get --rounds", "--rounds needs a value."),
        ("get --rounds --html x", "--rounds needs a value."),
        ("get --rounds 0", "--rounds needs whole numbers from 1 to 10000, not \"0\"."),
        ("get --rounds 1.5", "--rounds needs whole numbers from 1 to 10000, not \"1.5\"."),
        ("get --calls 10", "--calls needs whole numbers from 1000 to 1000000000, not \"10\"."),
        ("get --slow-megabytes 201", "--slow-megabytes needs whole numbers from 1 to 200, not \"201\"."),
        ("get --seed -1", "--seed needs whole numbers from 0 to 18446744073709551615, not \"-1\"."),
        ("get --callers 1,,2", "--callers needs whole numbers from 1 to 10000, not \"\"."),
        (
            "get --callers 99999999999999999999",
            "--callers needs whole numbers from 1 to 10000, not \"99999999999999999999\"."
        ),
        ("get --server apache", "--server is one of auto, nginx, mock, not \"apache\"."),
        ("get --markdown x", "--markdown is for probes; scenarios have --html and --json."),
        ("probes --html x", "Probes are written with --markdown."),
        ("--rounds 3", "Name a scenario, `all` or `probes`."),
    ])
    func mistakesAreNamed(_ line: String, _ message: String) {
        #expect(throws: UsageError(message)) { try command(line) }
    }
}
