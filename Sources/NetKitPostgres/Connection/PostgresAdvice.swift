import Foundation
import NetKit

/// The meaning of a failure of PostgreSQL for a caller, and the advice about what to do.
struct PostgresAdvice: Sendable {
    let code: NetKitError.Code
    let text: String?

    /// Returns the advice about settings, of the client or of the server, that stay wrong until they are corrected.
    static func correctSettings(_ text: String? = nil) -> PostgresAdvice {
        PostgresAdvice(code: .invalidConfiguration, text: text)
    }

    /// Returns the advice about a server that cannot be used now.
    static func waitForServer(_ text: String? = nil) -> PostgresAdvice {
        PostgresAdvice(code: .storeUnavailable, text: text)
    }

    /// Returns the advice about a value that the statement has from its caller.
    private static func changeRequest(_ text: String) -> PostgresAdvice {
        PostgresAdvice(code: .invalidRequest, text: text)
    }

    static let unknownName = waitForServer(
        "Correct the name in the URL, or make the name resolvable on this machine. Percent-encode characters such as / and # in the password."
    )

    private static let authority = correctSettings(
        "Set `sslrootcert` to the certificate of the authority that the server's certificate comes from, or renew the "
            + "server's certificate if it has expired."
    )

    private static let clientCertificate = correctSettings(
        "Correct `sslcert` and `sslkey`, the files of the client's certificate and key."
    )

    private static let password = correctSettings("Check the user and the password.")

    private static let database = correctSettings(
        "Create it with `CREATE DATABASE`, or correct the name in the URL."
    )

    private static let tooManyClients = waitForServer(
        "Let the clients of the server use fewer connections, or raise its `max_connections` or the limit of the role or "
            + "the database."
    )
}

extension PostgresAdvice {
    /// Creates the advice about an SQLSTATE; `nil` if there is none, because only the statement is at fault.
    init?(sqlState: String) {
        switch sqlState {
        case "42501":
            self = .correctSettings(
                "As the owner of the database, run the SQL of `Postgres.migrationSQL(from:)` for the version of the schema, "
                    + "and then the SQL of `Postgres.grantSQL(to:)` for the role. Or connect as another role."
            )
        case "3F000", "42P01", "42883", "42703":
            self = .correctSettings(
                "The schema is missing or has another version: let `Postgres` migrate it, or run the SQL of "
                    + "`Postgres.migrationSQL(from:)` for its version."
            )
        case Schema.unsuitable: self = .correctSettings()
        case Schema.otherShards: self = .waitForServer()
        case "25006":
            self = .waitForServer("The server is read-only; it may be a standby. Connect to the primary.")
        case "53300": self = .tooManyClients
        case "40001", "40P01", "55P03": self = .waitForServer()
        // Connections, resources, the operator, the system and faults of the server itself.
        case _ where ["08", "53", "57", "58", "XX"].contains(sqlState.prefix(2)): self = .waitForServer()
        case "28P01": self = .password
        case "22021": self = .changeRequest("PostgreSQL has no text with the character 0. Choose a name without it.")
        case "22008":
            self = .changeRequest(
                "PostgreSQL cannot count such a long time. Shorten it, or the interval or the burst of the rate limit."
            )
        case _ where sqlState.hasPrefix("28"): self = .correctSettings()
        case "3D000": self = .database
        default: return nil
        }
    }

    /// Creates the advice about a connection that could not be made, from what libpq or the server says in English.
    ///
    /// For most of these failures, there is no SQLSTATE. It is `nil` if the words are not known.
    init?(words: String) {
        // Names are in quotation marks, and may contain anything.
        let text = words.replacing(#/"[^"]*" ?/#, with: "")
        let row = Self.table.first { $0.parts.contains { text.localizedCaseInsensitiveContains($0) } }
        guard let row else { return nil }
        self = row.advice
    }

    /// The advice by parts of a text, of which the first that matches counts: longer parts precede what they contain.
    private static let table: [(parts: [String], advice: PostgresAdvice)] = [
        (
            ["does not support SSL"],
            .correctSettings(
                "A connection to another machine has to be encrypted. Enable TLS in the server, or add `sslmode=disable` to "
                    + "the URL if you trust every machine in between."
            )
        ),
        (["certificate verify failed", "root certificate file"], authority),
        (
            ["does not match host name"],
            .correctSettings("Connect to the server by a name that is in its certificate.")
        ),
        (["certificate file", "private key file"], clientCertificate),
        (
            ["no password supplied"],
            .correctSettings("Put the password into the URL, `PGPASSWORD` or a password file (`~/.pgpass`).")
        ),
        (
            ["no pg_hba.conf entry"],
            .correctSettings(
                "Check the server's `pg_hba.conf`: it must allow this user and address, and may require encryption."
            )
        ),
        (["database does not exist"], database),
        (
            ["no such database"],
            .correctSettings("Add it to the `[databases]` of the pooler, or correct the name in the URL.")
        ),
        (
            ["role does not exist"],
            .correctSettings("Create it with `CREATE ROLE`, or correct the name in the URL.")
        ),
        (
            ["is not permitted to log in"],
            .correctSettings("Let the role log in with `ALTER ROLE`, or connect as another one.")
        ),
        (
            ["session is read-only"],
            .waitForServer(
                "The server may be a standby, or have `default_transaction_read_only`. Connect to the primary."
            )
        ),
        (["too many clients", "too many connections", "connection slots are reserved"], tooManyClients),
        (
            ["Too many open files"],
            .waitForServer("Raise the limit of open files, or close files and connections.")
        ),
        (
            ["peer authentication failed"],
            .correctSettings(
                "The server accepts only the operating-system user named like the role; connect by TCP with a password."
            )
        ),
        (["certificate authentication failed"], clientCertificate),
        // A pooler also says `SASL authentication failed`, with the SQLSTATE of a fault of the protocol.
        (["authentication failed"], password),
        // A way to log in that the URL requires and the server does not have, or the other way round.
        (
            ["channel binding", "authentication method", "authentication not supported", "authentication mechanisms"],
            .correctSettings()
        ),
        (["permission denied"], .correctSettings()),
        (
            ["unsupported startup parameter"],
            .correctSettings("Remove the `options` from the URL, or allow them in the pooler.")
        ),
        // What libpq says of a connection that ended, before it says "invalid socket".
        (["server closed the connection", "connection not open", "invalid socket"], .waitForServer()),
        (["invalid"], .correctSettings()),
        (
            ["Connection refused"],
            .waitForServer("Start the server, or correct the host and the port in the URL.")
        ),
        (
            ["No such file or directory"],
            .waitForServer("Start the server, or set `DATABASE_URL` or `PGHOST` if its socket is in another folder.")
        ),
    ]
}
