import Foundation

/// The text of `--help` and `--list`.
enum BenchHelp {
    static let text = """
        Usage: netkit-bench <scenario>… [options]
               netkit-bench all [options]
               netkit-bench probes [<probe>…] [--markdown <file>]

        Scenarios compare NetKit with the layers below it, in turn inside one run. The required figures follow each
        table; if one is missed, the exit status is 1. Probes show how URLSession and NetKit behave when a peer or a
        caller misbehaves.

        \(scenarios)

          --rounds <n>         rounds that are measured; each scenario has a number of its own
          --callers <n,n,…>    numbers of callers side by side, of `get`, `get-tls` and `get-h2` (1,16,64,256)
          --calls <n>          calls of `soak` (200,000), and responses in the flood of `cache` (1,000,000)
          --slow-megabytes <n> how many MB `stream-slow-reader` reads at 1 MB/s, of 200 (5)
          --seed <n>           the seed of random orders and times (1)
          --server <which>     auto, nginx or mock (auto: nginx if it is installed)
          --html <file>        a page with charts
          --json <file>        the numbers
          --markdown <file>    the table of the probes
          --list               every scenario and every probe
          --help               this text

        Calls over the wire go to nginx if it is installed, or else to NetKit's own mock server. Build the bench with
        `-c release`: a debug build measures the compiler.
        """

    static var list: String {
        "scenarios\n\(scenarios)\n\nprobes\n\(TextTable.leading(Probes.all.map { ($0.name, $0.title) }))"
    }

    private static var scenarios: String {
        TextTable.leading(Scenarios.all.map { ($0.name, $0.summary) })
    }
}
