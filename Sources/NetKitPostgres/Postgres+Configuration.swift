extension Postgres {
    /// The configuration of a database.
    public struct Configuration: Sendable {
        /// The name of the schema that holds NetKit's tables and functions; `netkit` by default.
        ///
        /// It consists of at most 40 lower-case letters, digits and underscores. Several services can share a database
        /// with a schema each.
        public var schema = "netkit"

        /// The treatment of a schema that is missing or has an older version; it is migrated by default.
        public var migrations: Migrations = .migrate

        /// The encryption that connections need; off the loopback interface, all have to be encrypted by default.
        public var encryption: Encryption = .exceptLoopback

        /// The time limit for connecting to one server; 5 seconds by default.
        ///
        /// Several servers of a URL, and several addresses of a name, are tried one after the other, each with this
        /// limit. Their names are looked up before that, eight at a time within this limit. A name that takes longer is
        /// left out of the attempt, and later attempts only wait for it if no other server has an address. A
        /// `connect_timeout` in the URL or the environment replaces it.
        public var connectTimeout: Duration = .seconds(5)

        /// The time limit for a statement, which includes its wait for a connection; 10 seconds by default.
        public var statementTimeout: Duration = .seconds(10)

        /// Whether a database can be opened while its server cannot be reached; `false` by default.
        ///
        /// With `true`, `Postgres()` returns without a connection then, after one attempt. Queues and caches can be
        /// opened, and queues with a spill folder take requests. The schema is checked or migrated before the first
        /// statement that reaches the server. If the server refuses the settings, or the URL cannot be read,
        /// `Postgres()` still throws the error at once.
        public var startsWithoutServer = false

        /// Creates the standard configuration.
        public init() {}
    }

    /// The treatment of a schema that is missing or has an older version.
    public struct Migrations: Sendable, Hashable, CustomStringConvertible {
        /// The name of the treatment.
        public let description: String

        /// The schema is created or migrated when the database is opened.
        ///
        /// Several processes may start at once. The role needs the right to create the schema, or has to own it.
        public static let migrate = Migrations(description: "migrate")
        /// The schema is only checked.
        ///
        /// If it is missing or too old, opening the database fails with an error whose message says what to run, and
        /// whose cause is ``MigrationNeeded`` with the SQL.
        public static let check = Migrations(description: "check")
        /// The schema is not looked at, for programs that migrate or inspect the schema themselves.
        public static let none = Migrations(description: "none")
    }

    /// The encryption that connections need.
    ///
    /// A request to cancel a statement is not encrypted, because libpq sends it over a connection of its own in plain
    /// text. It contains the number and the cancellation key of a connection, and no statement, value or password.
    /// With the key, a listener could cancel the statements of this connection.
    public struct Encryption: Sendable, Hashable, CustomStringConvertible {
        /// The name of the encryption.
        public let description: String

        /// Connections for statements to other machines are encrypted unless the URL or `PGSSLMODE` switches it off
        /// with `disable`.
        ///
        /// The modes `allow` and `prefer`, which an attacker can switch off, count as `require`. The server's
        /// certificate is only verified with the modes `verify-ca` and `verify-full`.
        public static let exceptLoopback = Encryption(description: "off the loopback")
        /// Every connection for statements is encrypted, and the server's certificate is verified:
        /// `sslmode=verify-full`.
        public static let verified = Encryption(description: "verified")
        /// The URL, the environment or libpq itself decides.
        public static let fromConnectionString = Encryption(description: "as given")
    }
}
