import NetKit
import NetKitPostgres

/// `netkit database`, which prints, migrates and inspects NetKit's schema in a PostgreSQL database.
struct DatabaseCommand {
    let options: DatabaseOptions
    let output: CommandOutput

    func run() async throws -> ExitCode {
        switch options.action {
        case .print: return try printSQL()
        case .migrate:
            return try await withDatabase { database in
                let status = try await database.migrate()
                output.text("The schema \(options.schema) is up to date: \(status).")
                return .success
            }
        case .status: return try await withDatabase(showStatus)
        }
    }

    private func printSQL() throws -> ExitCode {
        output.text(try Postgres.migrationSQL(schema: options.schema, from: options.version))
        if let role = options.role { output.text(try Postgres.grantSQL(to: role, schema: options.schema)) }
        return .success
    }

    private func showStatus(_ database: Postgres) async throws -> ExitCode {
        let status = try await database.schemaStatus()
        var report = DatabaseReport(status, database.health)
        let isUsable = !status.isBehind && !report.isTooNew
        if isUsable { try await report.addQueues(of: database) }
        if options.showsJSON {
            output.text(try JSONText.text(of: report))
        } else {
            output.text("schema \(options.schema): \(status)")
            for line in report.lines { output.text(NetKitError.oneLine(line, limit: .max)) }
        }
        return isUsable ? .success : .failure
    }

    /// Opens the database as it is, and closes it afterwards.
    private func withDatabase(_ action: (Postgres) async throws -> ExitCode) async throws -> ExitCode {
        var configuration = Postgres.Configuration()
        configuration.schema = options.schema
        configuration.migrations = .none
        let database = try await Postgres(options.database, configuration: configuration)
        return try await finishing({ try await action(database) }, with: { await database.close() })
    }
}
