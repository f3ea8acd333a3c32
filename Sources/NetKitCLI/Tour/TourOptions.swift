import Foundation
import NetKit

/// The arguments of `netkit tour`.
struct TourOptions {
    /// Where what is left to look at goes.
    var folder = URL(fileURLWithPath: "netkit-tour", isDirectory: true)
    /// The folder and the server of the process that is killed; nil in the one that shows everything.
    var victim: (folder: URL, server: URL)?

    static let help = """
        Usage: netkit tour [<folder>]

        Two minutes with NetKit, against a server in this process that misbehaves: a typed call, retry, one refresh for ten
        callers, an upload and a download that breaks off, the cache, and requests that outlive the process that made them.

          -h, --help  show this text

        It leaves timeline.html, tour.har and metrics.txt in the folder, netkit-tour unless said otherwise.
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var places: [String] = []
        while let argument = rest.popFirst() {
            switch argument {
            case "-h", "--help": throw UsageError.help
            // What the tour starts itself with, to be killed.
            case "--victim":
                let folder = try RequestOptions.value(of: argument, from: &rest)
                let server = try RequestOptions.url(RequestOptions.value(of: argument, from: &rest))
                victim = (URL(fileURLWithPath: folder, isDirectory: true), server)
            case _ where argument.hasPrefix("-"): throw UsageError(message: "there is no option \"\(argument)\".")
            default: places.append(argument)
            }
        }
        guard places.count <= 1 else { throw UsageError(message: "one folder is enough; what is \"\(places[1])\"?") }
        if let place = places.first { folder = URL(fileURLWithPath: place, isDirectory: true) }
    }
}
