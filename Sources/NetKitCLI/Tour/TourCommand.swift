import Foundation
import NetKit
import NetKitTesting

/// `netkit tour`, which demonstrates the library against a misbehaving server.
struct TourCommand {
    let options: TourOptions
    let output: CommandOutput
    let style: TerminalStyle
    /// Whether the output is a terminal, on which a line can be redrawn.
    let isTerminal: Bool

    func run() async throws -> ExitCode {
        if let child = options.child {
            try await TourChildProcess(folder: child.folder, server: child.server, output: output).run()
            return .success
        }
        if let replica = options.replica {
            try await TourReplicaProcess(database: replica.database, server: replica.server, output: output).run()
            return .success
        }
        if options.isWithDatabase { return try await DatabaseTour.run(output: output, style: style) }
        try options.folder.makeFolder()
        let tour = try Tour(folder: options.folder, output: output, style: style, isTerminal: isTerminal)
        try await tour.typedCall()
        try await tour.retry()
        try await tour.oneRefreshForTen()
        try await tour.upload()
        try await tour.download()
        try await tour.cache()
        try await tour.offline()
        try await tour.numbers()
        return .success
    }
}

/// The arguments of `netkit tour`.
struct TourOptions {
    /// The folder for the results.
    var folder = URL(fileURLWithPath: "/")
    /// The queue's folder and the server, in the child process that is killed.
    ///
    /// It is `nil` in the main process.
    var child: (folder: URL, server: URL)?
    /// The URL of the database and the server, in the child process that is a replica.
    var replica: (database: String, server: URL)?
    /// Whether the tour is that of NetKitPostgres.
    var isWithDatabase = false

    static let syntax = CommandSyntax<TourOptions>(
        name: "tour",
        words: "[<folder> | --database]",
        options: [
            .init("--database", text: "show NetKitPostgres instead, in a temporary database") {
                $0.isWithDatabase = true
            }
        ],
        notes: """
            Shows what NetKit does in two minutes, against a misbehaving server in this process: a typed call, retries, one
            token refresh for ten callers, an upload, a download that breaks off, the cache, and requests that survive a
            killed process.

            The tour writes timeline.html, tour.har and metrics.txt to the folder, by default netkit-tour.

            With --database, it shows in ten seconds what several replicas of a service share: a queue whose lanes are taken
            over from a killed process, an addition in a transaction, a token, a rate limit and a cache. It starts a PostgreSQL
            server in a temporary folder, which goes with the tour, and uses no other database. The server has to be installed,
            for example from Debian's package postgresql.
            """
    )

    init(_ arguments: [String]) throws {
        // The tour starts itself like this as the child process.
        if arguments.count == 3, arguments[0] == "--child" {
            child = (URL(fileURLWithPath: arguments[1], isDirectory: true), try RequestOptions.url(arguments[2]))
            return
        }
        if arguments.count == 3, arguments[0] == "--replica" {
            replica = (arguments[1], try RequestOptions.url(arguments[2]))
            return
        }
        let places = try Self.syntax.read(arguments, into: &self)
        guard places.count <= 1 else { throw UsageError.unexpected(places[1]) }
        if isWithDatabase, let place = places.first { throw UsageError.unexpected(place) }
        if !isWithDatabase { folder = try .file(places.first ?? "netkit-tour") }
    }
}
