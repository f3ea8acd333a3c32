import CNetKitPostgres
import Foundation
import NetKit

/// An error of the server or of the connection, as libpq reports it; it is the `cause` of the errors that callers see.
struct PostgresFailure: Error, Sendable {
    /// The five characters for the kind of error; `nil` if it does not come from the server.
    var sqlState: String?
    var message: String
    var hint: String?
    /// Whether the connection has ended with it.
    var isFatal = false
    /// Whether the name of the server could not be looked up.
    private var isLookup = false
    /// Whether the connection was open before, which shows that the settings are correct.
    private var wasOpen = false

    static let noMemory = PostgresFailure(connection: "there is no memory for a connection")

    /// Creates the failure of a connection from libpq's text, which has the SQLSTATE after the severity.
    ///
    /// The rest of the text is in the language of the server.
    init(connection text: String) {
        let state = #/:  (?<state>[0-9A-Z]{5}): /#
        sqlState = text.firstMatch(of: state).map { String($0.state) }
        let line = NetKitError.oneLine(Self.sentences(of: text.replacing(state, with: ":  ")), limit: 400)
        message = line.isEmpty ? "the connection was lost" : line
        isFatal = true
    }

    /// Creates the failure of a connection that was open, from libpq's text.
    init(lostConnection text: String) {
        self.init(connection: text)
        wasOpen = true
    }

    /// Creates the failure of a name that has no address.
    init(lookup text: String) {
        self.init(connection: "the name of the server has no address: \(text)")
        isLookup = true
    }

    /// Joins the lines of a text of libpq, which indents those after the first one.
    private static func sentences(of text: String) -> String {
        // The question is left out, because the advice answers it, and so is the line of the server's source.
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("Is the server running") && !$0.hasPrefix("LOCATION:") }
        return lines.dropFirst().reduce(into: lines.first ?? "") { text, line in
            text += (line.first?.isLowercase == true ? " " : ". ") + line
        }
    }

    /// Creates the failure of a statement from its result.
    init(_ result: OpaquePointer, _ library: PostgresLibrary) {
        let api = library.functions.pointee
        func field(_ code: Character) -> String? {
            code.asciiValue.flatMap { api.resultErrorField(result, Int32($0)).map { String(cString: $0) } }
        }
        self.init(lostConnection: api.resultErrorMessage(result).map { String(cString: $0) } ?? "")
        guard let state = field("C") else { return }
        sqlState = state
        message = NetKitError.oneLine(field("M") ?? message, limit: 300)
        hint = field("H").map { NetKitError.oneLine($0, limit: 200) }
        isFatal = field("V") == "FATAL" || field("V") == "PANIC"
    }

    /// Whether the statement was rolled back because of another one, and can run again.
    var isRepeatable: Bool { ["40001", "40P01"].contains(sqlState) }

    /// Whether the statement was cancelled.
    var isCancellation: Bool { sqlState == "57014" }

    /// Whether the server was told to end the connection, and runs no further statements on it.
    var isShutdown: Bool { ["57P01", "57P02", "57P03", "57P05"].contains(sqlState) }

    /// Returns the error for a caller.
    func error(outcome: NetKitError.Outcome) -> NetKitError {
        var text = "PostgreSQL: \(message)"
        if let sqlState { text += " (SQLSTATE \(sqlState))" }
        if !text.hasSuffix("."), !text.hasSuffix("?") { text += "." }
        if let next = advice?.text ?? hint { text += " \(next)" }
        return NetKitError(
            advice?.code ?? (isFatal ? .storeUnavailable : .invalidRequest),
            text,
            outcome: outcome,
            cause: self
        )
    }

    /// The code of the error, and the advice about what to do.
    private var advice: (code: NetKitError.Code, text: String?)? {
        let stateAdvice = sqlState.flatMap { Self.advice(state: $0) }
        if wasOpen { return stateAdvice }
        if isLookup {
            return (
                .storeUnavailable,
                "Correct the name in the URL, or make the name resolvable on this machine. Percent-encode characters such as / and # in the password."
            )
        }
        // The text says more than the SQLSTATE, if it is in English. Names in it are in quotation marks.
        let text = message.replacing(#/"[^"]*" ?/#, with: "")
        let row = Self.texts.first { text.localizedCaseInsensitiveContains($0.part) }
        if let row { return (row.code, row.advice) }
        // No statement has run, so it is about a parameter of the connection or a right on the database.
        if let sqlState, ["22", "42"].contains(sqlState.prefix(2)) { return (.invalidConfiguration, nil) }
        return stateAdvice
    }

    private static func advice(state: String) -> (code: NetKitError.Code, text: String?)? {
        switch state {
        case "42501":
            (
                .invalidConfiguration,
                "As the owner of the database, run the SQL of `Postgres.migrationSQL(from:)` for the version of the schema, "
                    + "and then the SQL of `Postgres.grantSQL(to:)` for the role. Or connect as another role."
            )
        case "3F000", "42P01", "42883", "42703":
            (
                .invalidConfiguration,
                "The schema is missing or has another version: let `Postgres` migrate it, or run the SQL of "
                    + "`Postgres.migrationSQL(from:)` for its version."
            )
        case Schema.unsuitable: (.invalidConfiguration, nil)
        case Schema.otherShards: (.storeUnavailable, nil)
        case "25006":
            (.storeUnavailable, "The server is read-only; it may be a standby. Connect to the primary.")
        case "53300": (.storeUnavailable, tooManyClientsAdvice)
        case "40001", "40P01", "55P03": (.storeUnavailable, nil)
        // Connections, resources, the operator, the system and faults of the server itself.
        case _ where ["08", "53", "57", "58", "XX"].contains(state.prefix(2)): (.storeUnavailable, nil)
        case "28P01": (.invalidConfiguration, passwordAdvice)
        case _ where state.hasPrefix("28"): (.invalidConfiguration, nil)
        case "3D000": (.invalidConfiguration, databaseAdvice)
        default: nil
        }
    }

    private static let authorityAdvice =
        "Set `sslrootcert` to the certificate of the authority that the server's certificate comes from."

    private static let tooManyClientsAdvice =
        "Let the clients of the server use fewer connections, or raise its `max_connections` or the limit of the role or "
        + "the database."

    private static let passwordAdvice = "Check the user and the password."

    private static let databaseAdvice = "Create it with `CREATE DATABASE`, or correct the name in the URL."

    private static let clientAdvice = "Correct `sslcert` and `sslkey`, the files of the client's certificate and key."

    private static let texts: [(part: String, code: NetKitError.Code, advice: String?)] = [
        (
            "does not support SSL", .invalidConfiguration,
            "A connection to another machine has to be encrypted. Enable TLS in the server, or add `sslmode=disable` to the "
                + "URL if you trust every machine in between."
        ),
        ("certificate verify failed", .invalidConfiguration, authorityAdvice),
        ("root certificate file", .invalidConfiguration, authorityAdvice),
        (
            "does not match host name", .invalidConfiguration,
            "Connect to the server by a name that is in its certificate."
        ),
        ("certificate file", .invalidConfiguration, clientAdvice),
        ("private key file", .invalidConfiguration, clientAdvice),
        (
            "no password supplied", .invalidConfiguration,
            "Put the password into the URL, `PGPASSWORD` or a password file (`~/.pgpass`)."
        ),
        (
            "no pg_hba.conf entry", .invalidConfiguration,
            "Check the server's `pg_hba.conf`: it must allow this user and address, and may require encryption."
        ),
        ("database does not exist", .invalidConfiguration, databaseAdvice),
        (
            "no such database", .invalidConfiguration,
            "Add it to the `[databases]` of the pooler, or correct the name in the URL."
        ),
        (
            "role does not exist", .invalidConfiguration,
            "Create it with `CREATE ROLE`, or correct the name in the URL."
        ),
        (
            "is not permitted to log in", .invalidConfiguration,
            "Let the role log in with `ALTER ROLE`, or connect as another one."
        ),
        (
            "session is read-only", .storeUnavailable,
            "The server may be a standby, or have `default_transaction_read_only`. Connect to the primary."
        ),
        ("too many clients", .storeUnavailable, tooManyClientsAdvice),
        ("too many connections", .storeUnavailable, tooManyClientsAdvice),
        ("connection slots are reserved", .storeUnavailable, tooManyClientsAdvice),
        (
            "Too many open files", .storeUnavailable,
            "Raise the limit of open files, or close files and connections."
        ),
        (
            "peer authentication failed", .invalidConfiguration,
            "The server accepts only the operating-system user named like the role; connect by TCP with a password."
        ),
        ("certificate authentication failed", .invalidConfiguration, clientAdvice),
        // A pooler also says `SASL authentication failed`, with the SQLSTATE of a fault of the protocol.
        ("authentication failed", .invalidConfiguration, passwordAdvice),
        ("permission denied", .invalidConfiguration, nil),
        (
            "unsupported startup parameter", .invalidConfiguration,
            "Remove the `options` from the URL, or allow them in the pooler."
        ),
        // What libpq says of a connection that ended, before it says "invalid socket".
        ("server closed the connection", .storeUnavailable, nil),
        ("connection not open", .storeUnavailable, nil),
        ("invalid socket", .storeUnavailable, nil),
        ("invalid", .invalidConfiguration, nil),
        (
            "Connection refused", .storeUnavailable,
            "Start the server, or correct the host and the port in the URL."
        ),
        (
            "No such file or directory", .storeUnavailable,
            "Start the server, or set `DATABASE_URL` or `PGHOST` if its socket is in another folder."
        ),
    ]
}

extension NetKitError {
    /// The SQLSTATE of the failure behind the error, if the server sent one.
    var sqlState: String? { (cause as? PostgresFailure)?.sqlState }
}
