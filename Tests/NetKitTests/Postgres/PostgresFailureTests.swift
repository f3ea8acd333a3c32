import NetKit
import Testing

@testable import NetKitPostgres

/// Tests of the errors of connections that cannot be made, which libpq describes only in words.
struct PostgresFailureTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let code: NetKitError.Code
        let part: String

        var testDescription: String { text }
    }

    @Test(arguments: [
        Row(
            text: """
                connection to server at "127.0.0.1", port 5432 failed: Connection refused
                \tIs the server running on that host and accepting TCP/IP connections?

                """,
            code: .storeUnavailable,
            part: "failed: Connection refused. Start the server"
        ),
        Row(
            text: """
                server closed the connection unexpectedly
                \tThis probably means the server terminated abnormally
                \tbefore or while processing the request.

                """,
            code: .storeUnavailable,
            part: "unexpectedly. This probably means the server terminated abnormally before or while processing"
        ),
        Row(
            text: """
                server closed the connection unexpectedly
                \tThis probably means the server terminated abnormally
                \tbefore or while processing the request.
                invalid socket

                """,
            code: .storeUnavailable,
            part: "before or while processing the request. invalid socket"
        ),
        Row(text: "connection not open\ninvalid socket\n", code: .storeUnavailable, part: "connection not open"),
        Row(text: "invalid socket\n", code: .storeUnavailable, part: "invalid socket"),
        Row(
            text: "connection to server at \"invalid-db.local\" (10.0.0.1), port 5432 failed: Connection refused",
            code: .storeUnavailable,
            part: "Start the server"
        ),
        Row(
            text: "connection to server at \"h\" (::1) failed: FATAL:  database \"my role\" does not exist",
            code: .invalidConfiguration,
            part: "`CREATE DATABASE`"
        ),
        Row(
            text: "connection to server at \"h\" (::1) failed: FATAL:  role \"database\" does not exist",
            code: .invalidConfiguration,
            part: "`CREATE ROLE`"
        ),
        Row(
            text: "connection to server at \"h\" (::1) failed: FATAL:  role \"svc\" is not permitted to log in",
            code: .invalidConfiguration,
            part: "`ALTER ROLE`"
        ),
        Row(
            text: "connection to server at \"h\" (::1), port 6432 failed: FATAL:  08P01: no such database: nowhere",
            code: .invalidConfiguration,
            part: "Add it to the `[databases]` of the pooler"
        ),
        Row(
            text: "connection to server at \"h\" (::1), port 6432 failed: FATAL:  08P01: SASL authentication failed",
            code: .invalidConfiguration,
            part: "Check the user and the password."
        ),
        Row(
            text: "connection to server at \"h\" (::1) failed: FATAL:  08P01: \"trust\" authentication failed",
            code: .invalidConfiguration,
            part: "Check the user and the password."
        ),
        Row(
            text: "connection to server at \"h\" (::1) failed: FATAL:  Peer authentication failed for user \"svc\"",
            code: .invalidConfiguration,
            part: "connect by TCP"
        ),
        Row(
            text: "connection to server at \"h\" failed: FATAL:  certificate authentication failed for user \"svc\"",
            code: .invalidConfiguration,
            part: "Correct `sslcert` and `sslkey`"
        ),
        Row(
            text: "connection to server at \"h\" (::1) failed: FATAL:  08P01: client_login_timeout (server down)",
            code: .storeUnavailable,
            part: "(server down)"
        ),
        Row(
            text: "connection to server at \"h\" (::1), port 5432 failed: session is read-only",
            code: .storeUnavailable,
            part: "Connect to the primary."
        ),
        Row(
            text: "connection to server at \"h\" (::1), port 5432 failed: FATAL:  sorry, too many clients already",
            code: .storeUnavailable,
            part: "raise its `max_connections`"
        ),
        Row(
            text: "connection to server at \"h\" (::1) failed: FATAL:  too many connections for role \"svc\"",
            code: .storeUnavailable,
            part: "the limit of the role"
        ),
        Row(
            text: """
                connection to server at \"h\" (::1) failed: FATAL:  remaining connection slots are reserved for roles with \
                the SUPERUSER attribute
                """,
            code: .storeUnavailable,
            part: "raise its `max_connections`"
        ),
        Row(
            text: """
                connection to server at "h" (::1), port 5432 failed: FATAL:  28P01: Passwort-Authentifizierung für \
                Benutzer »svc« fehlgeschlagen
                LOCATION:  auth_failed, auth.c:326

                """,
            code: .invalidConfiguration,
            part: "FATAL:  Passwort-Authentifizierung für Benutzer »svc« fehlgeschlagen (SQLSTATE 28P01). Check"
        ),
        Row(
            text: "connection to server at \"h\" (::1) failed: FATAL:  3D000: Datenbank »shop« existiert nicht",
            code: .invalidConfiguration,
            part: "`CREATE DATABASE`"
        ),
        Row(
            text: "connection to server at \"h\" failed: FATAL:  53300: tut mir leid, schon zu viele Verbindungen",
            code: .storeUnavailable,
            part: "raise its `max_connections`"
        ),
        Row(
            text: """
                connection to server at "h" failed: FATAL:  42704: unrecognized configuration parameter "work_mom"
                LOCATION:  find_option, guc.c:5734

                """,
            code: .invalidConfiguration,
            part: "parameter \"work_mom\" (SQLSTATE 42704)."
        ),
        Row(
            text: "connection to server at \"h\" failed: FATAL:  22023: ungültiger Wert für Parameter »work_mem«: »x«",
            code: .invalidConfiguration,
            part: "(SQLSTATE 22023)."
        ),
        Row(
            text: """
                connection to server at "h" failed: FATAL:  42501: keine Berechtigung für Datenbank »shop«
                DETAIL:  Benutzer hat das CONNECT-Privileg nicht.
                LOCATION:  CheckMyDatabase, postinit.c:372

                """,
            code: .invalidConfiguration,
            part: "(SQLSTATE 42501)."
        ),
        Row(
            text: "channel binding required, but server authenticated client without channel binding",
            code: .invalidConfiguration,
            part: "channel binding"
        ),
        Row(text: "authentication method 99 not supported", code: .invalidConfiguration, part: "method 99"),
        Row(text: "Kerberos 5 authentication not supported", code: .invalidConfiguration, part: "Kerberos 5"),
        Row(
            text: "none of the server's SASL authentication mechanisms are supported",
            code: .invalidConfiguration,
            part: "SASL"
        ),
        Row(
            text: "could not create socket: Address family not supported by protocol",
            code: .storeUnavailable,
            part: "Address family"
        ),
        Row(
            text: "SSL error: certificate verify failed",
            code: .invalidConfiguration,
            part: "renew the server's certificate if it has expired"
        ),
        Row(
            text: "could not create socket: Too many open files",
            code: .storeUnavailable,
            part: "Raise the limit of open files"
        ),
        Row(
            text: "invalid integer value \"x\" for connection option \"port\"",
            code: .invalidConfiguration,
            part: "port"
        ),
    ])
    func saysWhatToDo(row: Row) {
        let error = PostgresFailure(connection: row.text).error(outcome: .notSent)
        #expect(error.code == row.code)
        #expect(error.message.contains(row.part), "\(error.message)")
        // Rights on the schema do not let a role connect.
        for part in ["\u{FFFD}", "?.", "..", "grantSQL"] { #expect(!error.description.contains(part), "\(error)") }
    }

    @Test func saysWhatToDoAboutTheStateOfTooManyClients() {
        var failure = PostgresFailure(connection: "sorry, too many clients already")
        failure.sqlState = "53300"
        let error = failure.error(outcome: .notSent)
        #expect(error.code == .storeUnavailable)
        #expect(error.message.contains("(SQLSTATE 53300). Let the clients of the server use fewer connections"))
    }

    @Test(arguments: [
        ("22021", "Choose a name without it."), ("22008", "or the interval or the burst of the rate limit."),
    ])
    func saysWhatToDoAboutAValueThatPostgreSQLDoesNotHave(state: String, advice: String) {
        var failure = PostgresFailure(lostConnection: "ungültige Byte-Sequenz")
        (failure.sqlState, failure.isFatal) = (state, false)
        let error = failure.error(outcome: .answered)
        #expect(error.code == .invalidRequest)
        #expect(error.message.hasSuffix(advice), "\(error.message)")
    }

    /// A connection that was open before, so that its settings are valid, whatever the text contains.
    @Test(arguments: [
        "lost synchronization with server: got message type \"v\", length 1, which is invalid",
        "could not send data to server: permission denied", "invalid statement", "",
    ])
    func aLostConnectionIsNoMistakeOfTheSettings(text: String) {
        let error = PostgresFailure(lostConnection: text).error(outcome: .unknown)
        #expect(error.code == .storeUnavailable)
        #expect(error.isAbsence && error.isTransient)
    }

    @Test(arguments: ["db.invalid", "permission-denied.local", "does-not-exist"])
    func aNameWithoutAnAddressMayHaveOneLater(host: String) {
        let error = PostgresFailure(lookup: "\(host): there is no such host").error(outcome: .notSent)
        #expect(error.code == .storeUnavailable)
        #expect(error.message.contains("\(host): there is no such host. Correct the name in the URL"))
    }
}
