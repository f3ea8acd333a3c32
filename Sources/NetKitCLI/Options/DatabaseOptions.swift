import NetKit
import NetKitPostgres

/// The arguments of `netkit database`.
struct DatabaseOptions: Equatable {
    enum Action: String, CaseIterable {
        case print
        case migrate
        case status
    }

    var action = Action.status
    /// The URL of the database; `nil` for the environment's.
    var database: String?
    var schema = "netkit"
    /// The role for which `print` adds its rights.
    var role: String?
    /// The version from which `print` begins.
    var version = 0
    var showsJSON = false

    static let syntax = CommandSyntax<DatabaseOptions>(
        name: "database",
        words: "<action> [options]",
        options: [
            .init("--database", value: "url", "the database (DATABASE_URL, or PGHOST, PGUSER and so on)", \.database),
            .schema(\.schema),
            .init("--from", value: "version", "for print: the current version of the schema; default 0, none") {
                guard let version = Int($1), version >= 0 else {
                    throw UsageError(message: "\($2) needs a version number of 0 or more, not \"\($1)\".")
                }
                try UsageError.check { _ = try Postgres.migrationSQL(from: version) }
                $0.version = version
            },
            .init("--role", value: "role", "for print: a role that also gets the rights that a service needs", \.role),
            .init("--json", text: "for status: print it as JSON") { $0.showsJSON = true },
        ],
        notes: """
            Actions:
              print    print the SQL that creates or migrates the schema, for psql; needs no database
              migrate  create the schema, or migrate it to the version of this program
              status   show the version of the schema and of the server, and, for each queue, its entries, the age of the
                       oldest one, the lanes that are paused, and the processes that send from it

            `status` exits with 1 if the schema is missing, has to be migrated, or needs a newer version of this program.
            """,
        actions: Action.allCases.map(\.rawValue)
    )

    init(_ arguments: [String]) throws {
        let words = try Self.syntax.read(arguments, into: &self)
        action = try Action(firstOf: words)
        guard words.count == 1 else { throw UsageError.unexpected(words[1]) }
        guard action != .print || database == nil else {
            throw UsageError(message: "print needs no database. Give the version of its schema with --from.")
        }
        guard action == .print || (role == nil && version == 0) else {
            throw UsageError(message: "--from and --role are only for print. Run its SQL, which grants the rights.")
        }
        guard action == .status || !showsJSON else { throw UsageError(message: "--json is only for status.") }
    }
}

extension CommandOption {
    /// Returns the option for the schema of NetKitPostgres.
    static func schema(_ property: any WritableKeyPath<Options, String> & Sendable) -> CommandOption {
        CommandOption("--schema", value: "name", "the name of the schema; default netkit") { options, value, _ in
            try UsageError.check { _ = try Postgres.migrationSQL(schema: value) }
            options[keyPath: property] = value
        }
    }
}
