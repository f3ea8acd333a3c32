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
                                   add a header field; can be repeated
          --resume                 keep a partial download, and continue it the next time
          --overwrite              replace an existing file; in a folder, the new file gets a number otherwise
          --size <bytes>           the expected size of the file
          --sha256 <digest>        the expected SHA-256 of the file
          -q, --quiet              show no progress
          -h, --help               show this help

        In a folder, the server names the file. The default folder is the current one. The file's path is written to
        standard output, and the progress to standard error if it is a terminal.
        The exit code is 0 after a download, 4 for status 4xx, 5 for 5xx, 1 for a failure, 2 for wrong arguments.
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
        guard places.count <= 2 else { throw UsageError.unexpected(places[2]) }
        url = try RequestOptions.url(address)
        if places.count == 2 { destination = URL(fileURLWithPath: places[1]) }
    }
}
