import Foundation
import NetKit

/// The arguments of `netkit download`.
struct DownloadOptions {
    var url: URL
    var destination: URL
    var headers = HTTPHeaders()
    var rules = DownloadRules()
    var isQuiet = false

    static let syntax = CommandSyntax<DownloadOptions>(
        name: "download",
        words: "<url> [<file or folder>] [options]",
        options: [
            .init("-H", "--header", value: "name: value", "add a header field; can be repeated") { options, value, _ in
                let (name, value) = try RequestOptions.field(value)
                options.headers.add(name, value)
            },
            .init("--resume", text: "keep a partial download, and continue it the next time") {
                $0.rules.isResumable = true
            },
            .init(
                "--overwrite",
                text: "replace an existing file; in a folder, the new file gets a number otherwise"
            ) { $0.rules.existingFile = .replace },
            .init("--size", value: "bytes", "the expected size of the file") {
                guard let size = Int64($1), size >= 0 else {
                    throw UsageError(message: "\($2) needs a number of bytes, not \"\($1)\".")
                }
                $0.rules.expectedSize = size
            },
            .init("--sha256", value: "digest", "the expected SHA-256 of the file") {
                guard $1.count == 64, $1.allSatisfy(\.isHexDigit) else {
                    throw UsageError(message: "\($2) needs 64 hexadecimal digits, not \"\($1)\".")
                }
                $0.rules.expectedSHA256 = $1
            },
            .init("-q", "--quiet", text: "show no progress") { $0.isQuiet = true },
        ],
        notes: """
            In a folder, the server names the file. The default folder is the current one. The file's path is written to
            standard output, and the progress to standard error if it is a terminal.
            """
    )

    init(_ arguments: [String]) throws {
        (url, destination) = (URL(fileURLWithPath: "/"), URL(fileURLWithPath: "/"))
        let places = try Self.syntax.read(arguments, into: &self)
        guard let address = places.first else { throw UsageError(message: "the URL is missing.") }
        guard places.count <= 2 else { throw UsageError.unexpected(places[2]) }
        url = try RequestOptions.url(address)
        // A file appears when it is whole and checked, which standard output cannot promise.
        guard places.last != "-" else {
            let advice = "For standard output, use `netkit request`; for a file of this name, write ./- instead."
            throw UsageError(message: "a download needs a file. \(advice)")
        }
        destination = try .file(places.count == 2 ? places[1] : ".")
    }
}
