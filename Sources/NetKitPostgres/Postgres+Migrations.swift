import NetKit

extension Postgres {
    /// The cause of the error of a database whose schema is missing or too old, with ``Migrations/check``.
    public struct MigrationNeeded: Error, Sendable {
        /// The versions of the schema.
        public let status: SchemaStatus
        /// The SQL that brings it to the latest version, for programs such as psql.
        public let sql: String
    }

    /// The versions of a schema.
    public struct SchemaStatus: Sendable, Hashable, CustomStringConvertible {
        /// The version in the database; 0 if there is no schema.
        public let version: Int
        /// The version that this process knows.
        public let latestVersion: Int
        /// The oldest version that a process may know to use the schema.
        public let minVersion: Int

        /// Whether the schema has to be migrated.
        public var isBehind: Bool { version < latestVersion }

        /// The version in one line.
        public var description: String {
            version == 0 ? "there is no schema" : "version \(version); this process knows version \(latestVersion)"
        }
    }

    /// Returns the SQL that brings a schema to the latest version, for programs such as psql.
    ///
    /// - Parameters:
    ///   - schema: The name of the schema.
    ///   - version: The version that the schema has; 0 if there is none.
    /// - Returns: A transaction for each version; empty if the schema is up to date.
    /// - Throws: `.invalidConfiguration` if the name is not allowed, or if the version is not known.
    public static func migrationSQL(schema: String = "netkit", from version: Int = 0) throws -> String {
        let schema = try Schema(schema)
        guard (0...Schema.latestVersion).contains(version) else {
            throw NetKitError(
                .invalidConfiguration,
                "Version \(version) of the schema is not known. This process knows the versions 0, for no schema, to "
                    + "\(Schema.latestVersion)."
            )
        }
        let steps = (version..<Schema.latestVersion).compactMap { schema.migration(from: $0) }
        return steps.map { "BEGIN;\n\($0)COMMIT;\n" }.joined(separator: "\n")
    }

    /// Returns the SQL that lets a role use the schema but not change its tables, for programs such as psql.
    ///
    /// - Throws: `.invalidConfiguration` if the name of the schema is not allowed.
    public static func grantSQL(to role: String, schema: String = "netkit") throws -> String {
        try Schema(schema).grants(to: role)
    }

    /// Reads the version of the schema.
    public func schemaStatus() async throws -> SchemaStatus {
        let look = Statement("SELECT to_regclass('netkit.meta') IS NOT NULL AS is_there", isRepeatable: true)
        guard try await runUnprepared(look).one().value("is_there") else {
            return SchemaStatus(version: 0, latestVersion: Schema.latestVersion, minVersion: 0)
        }
        let rows = try await runUnprepared(Statement("SELECT key, value FROM netkit.meta", isRepeatable: true))
        var values: [String: Int] = [:]
        for row in rows { values[try row.value("key")] = Int(try row.value("value", as: String.self)) }
        return SchemaStatus(
            version: values["version"] ?? 0,
            latestVersion: Schema.latestVersion,
            minVersion: values["minimum"] ?? 0
        )
    }

    /// Brings the schema to the latest version, whatever the configuration says.
    ///
    /// Several processes may do so at once. A schema that is newer stays as it is.
    ///
    /// - Returns: The versions afterwards.
    @discardableResult
    public func migrate() async throws -> SchemaStatus {
        var status = try await schemaStatus()
        let first = status.version
        // Each step ends with a higher version, made by this process or another one.
        while let migration = schema.migration(from: status.version) {
            do {
                try await runScript(migration, within: .seconds(60))
            } catch let error as NetKitError where error.sqlState == Schema.otherVersion {}
            let latest = try await schemaStatus()
            guard latest.version > status.version else {
                throw Self.unfit(latest, "Its table `meta` has no version; drop the schema if it is not needed.")
            }
            status = latest
        }
        if status.version > first { note(.migrated) }
        return status
    }

    /// Connects, and checks or migrates the schema as the configuration says.
    func prepare() async throws {
        try await connect()
        guard configuration.migrations != .none else { return }
        var status = try await schemaStatus()
        if status.isBehind {
            guard configuration.migrations == .migrate else {
                let sql = try Self.migrationSQL(schema: schema.name, from: status.version)
                let place = schema.name == "netkit" ? "" : " --schema \(schema.name)"
                let start = status.version == 0 ? "" : " --from \(status.version)"
                throw Self.unfit(
                    status,
                    "Run what `netkit database print\(place)\(start)` prints as the owner of the database, for example "
                        + "with `psql -v ON_ERROR_STOP=1`. The cause of this error has the same SQL.",
                    cause: MigrationNeeded(status: status, sql: sql)
                )
            }
            status = try await migrate()
        }
        if status.minVersion > status.latestVersion {
            throw Self.unfit(
                status,
                "It only works with processes that know version \(status.minVersion); update NetKit."
            )
        }
    }

    private static func unfit(
        _ status: SchemaStatus,
        _ advice: String,
        cause: (any Error)? = nil
    ) -> NetKitError {
        let message = "The schema of the database does not fit: \(status). \(advice)"
        return NetKitError(.invalidConfiguration, message, cause: cause)
    }
}
