import Foundation

/// A request's body on a command line of curl.
struct CurlCommandBody {
    /// How many bytes one argument may have; Linux allows 128 KiB.
    private static let argumentLimit = 100_000

    private enum Way {
        case argument(String)
        case file(String)
        case command(String)
    }

    private let way: Way

    /// - Parameters:
    ///   - body: The body.
    ///   - contentType: The media type that is sent with it.
    ///   - redaction: What is secret; nil shows everything.
    ///   - isSignIn: Whether all of it is.
    /// - Throws: What making the body throws.
    init(_ body: HTTPBody, _ contentType: String?, hiding redaction: Redaction?, isSignIn: Bool) throws(NetKitError) {
        if redaction != nil, isSignIn {
            way = .argument(Redaction.mask)
        } else if let file = body.fileRange, file.isWhole {
            way = .file(file.path)
        } else if let bytes = try Self.bytes(of: body) {
            let type = LogBody.name(of: contentType)
            let isMasked = redaction != nil && LogBody.isText(type) && (type != nil || !bytes.contains(0))
            let shown = isMasked ? redaction.map { LogBody.masked(bytes, type: type, $0) } ?? bytes : bytes
            let text = shown.count <= Self.argumentLimit ? ShellText.text(of: shown) : nil
            way = text.map(Way.argument) ?? .command(ShellText.printing(shown))
        } else {
            way = .command(try Self.command(for: body))
        }
    }

    /// What curl is told.
    var arguments: [String] {
        switch way {
        case .argument(let text): ["--data-raw", ShellText.quoted(text)]
        case .file(let path): ["--data-binary", ShellText.quoted("@" + ShellText.path(path))]
        case .command: ["--data-binary", "@-"]
        }
    }

    /// What curl has to be given on its standard input, if anything; empty for whatever the user has.
    var source: String? {
        if case .command(let command) = way, command != Self.standardInput { command } else { nil }
    }

    private static let standardInput = "cat"

    private static func bytes(of body: HTTPBody) throws(NetKitError) -> Data? {
        guard body.fileRange == nil, body.parts == nil else { return nil }
        return try body.prepared().bytes
    }

    private static func command(for body: HTTPBody) throws(NetKitError) -> String {
        if let file = body.fileRange {
            let path = ShellText.quoted(ShellText.path(file.path))
            guard !file.isWhole else { return "cat \(path)" }
            let rest = "tail -c +\(file.offset.addingSaturated(1)) \(path)"
            return file.length.map { "\(rest) | head -c \($0)" } ?? rest
        }
        if let parts = body.parts {
            var commands: [String] = []
            for part in parts { commands.append(try command(for: part)) }
            return "{ \(commands.joined(separator: "; ")); }"
        }
        return try bytes(of: body).map(ShellText.printing) ?? standardInput
    }
}

extension FileRange {
    fileprivate var isWhole: Bool { offset == 0 && length == nil }
}
