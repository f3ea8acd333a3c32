import Foundation
import NetKit

/// The arguments of `netkit download`.
struct DownloadOptions {
    var url: URL
    var destination = URL(fileURLWithPath: ".", isDirectory: true)
    var headers = HTTPHeaders()
    var rules = DownloadRules()
    var isQuiet = false

    static let help = """
        Usage: netkit download <url> [<file or folder>] [options]

          -H, --header <name: value>
                                   a header field; can be repeated
          --resume                 keep what arrived when it breaks off, and go on from there the next time
          --overwrite              replace a file that is there; in a folder it gets a number otherwise
          --size <bytes>           how many bytes the file has to have
          --sha256 <digest>        the SHA-256 that the file has to have
          -q, --quiet              show no progress
          -h, --help               show this text

        In a folder the server names the file, and without one it is the current folder. The path of the file goes to
        standard output, the progress to standard error where that is a terminal.
        The exit code is 0 when the file is there, 4 for an answer of 4xx, 5 for 5xx, 1 for a failure, 2 for wrong arguments.
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var places: [String] = []
        while let argument = rest.popFirst() {
            switch argument {
            case "-h", "--help": throw UsageError.help
            case "-H", "--header":
                let (name, value) = try RequestOptions.field(rest.takeValue(of: argument))
                headers.add(name, value)
            case "--resume": rules.isResumable = true
            case "--overwrite": rules.existing = .replaced
            case "--size":
                let text = try rest.takeValue(of: argument)
                guard let size = Int64(text), size >= 0 else {
                    throw UsageError(message: "--size needs a number of bytes, not \"\(text)\".")
                }
                rules.expectedSize = size
            case "--sha256": rules.expectedSHA256 = try rest.takeValue(of: argument)
            case "-q", "--quiet": isQuiet = true
            case _ where argument.hasPrefix("-"):
                throw UsageError.unknownOption(argument)
            default: places.append(argument)
            }
        }
        guard let address = places.first else { throw UsageError(message: "the URL is missing.") }
        guard places.count <= 2 else { throw UsageError(message: "what is \"\(places[2])\"?") }
        url = try RequestOptions.url(address)
        if places.count == 2 { destination = URL(fileURLWithPath: places[1]) }
    }
}
