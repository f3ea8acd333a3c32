import Foundation
import NetKit

/// The command `netkit-bench`: measures NetKit against what it stands on, as ratios inside one run.
@main
struct NetKitBench {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "pipeline":
            let isOK = await PipelineScenario(rounds: rounds(in: arguments)).run()
            exit(isOK ? 0 : 1)
        default:
            print(
                """
                Usage: netkit-bench pipeline [--rounds <n>]

                  pipeline   what a call costs on top of its transport; fails where a figure is missed

                Build it with `-c release`; a debug build measures the compiler.
                """
            )
            exit(arguments.isEmpty || arguments.first == "--help" ? 0 : 2)
        }
    }

    private static func rounds(in arguments: [String]) -> Int {
        guard let index = arguments.firstIndex(of: "--rounds"), index + 1 < arguments.count else { return 9 }
        return Int(arguments[index + 1]).map { max(1, $0) } ?? 9
    }
}
