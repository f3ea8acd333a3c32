import NetKit
import Testing

@testable import NetKitPostgres

struct ConnectionSettingsTests {
    /// A target, the settings of a source, and the mode that replaces it.
    struct Row: Sendable {
        var host: String?
        var address: String?
        var given: String?
        var encryption = Postgres.Encryption.exceptLoopback
        var expected: String?
    }

    @Test(arguments: [
        Row(given: "prefer"),
        Row(host: "/run/postgresql", given: "prefer"),
        Row(host: "localhost", given: "prefer"),
        Row(host: "localhost", address: "127.0.0.1", given: "prefer"),
        Row(host: "db", address: "127.0.0.53", given: nil),
        Row(host: "db", address: "::1", given: "prefer"),
        Row(host: "localhost", address: "10.0.0.5", given: "prefer", expected: "require"),
        Row(host: "db", address: "10.0.0.5", given: "prefer", expected: "require"),
        Row(host: "db", address: "10.0.0.5", given: "allow", expected: "require"),
        Row(host: "db", address: "10.0.0.5", given: nil, expected: "require"),
        Row(host: "db", address: "10.0.0.5", given: "disable"),
        Row(host: "db", address: "10.0.0.5", given: "verify-ca"),
        Row(host: "db", address: "2001:db8::1", given: "require"),
        Row(host: "db", address: "10.0.0.5", given: "prefer", encryption: .fromConnectionString),
        Row(host: "db", address: "10.0.0.5", given: "require", encryption: .verified, expected: "verify-full"),
        Row(host: "localhost", address: "::1", given: "disable", encryption: .verified, expected: "verify-full"),
    ])
    func choosesTheEncryption(row: Row) {
        let target = ConnectionSettings.Target(host: row.host, address: row.address)
        #expect(ConnectionSettings.encryptionMode(row.encryption, of: target, given: row.given) == row.expected)
    }

    @Test func readsListsOfTargets() {
        typealias Target = ConnectionSettings.Target
        #expect(ConnectionSettings.targets(host: nil, address: nil, port: "5432") == [Target(port: "5432")])
        #expect(
            ConnectionSettings.targets(host: "a,b", address: nil, port: "1,2")
                == [Target(host: "a", port: "1"), Target(host: "b", port: "2")]
        )
        #expect(
            ConnectionSettings.targets(host: "a,b", address: nil, port: "1").map(\.port) == ["1", "1"]
        )
        #expect(Target(host: "/tmp").unresolvedName == nil)
        #expect(Target(host: "db").unresolvedName == "db")
        #expect(Target(host: "db", address: "10.0.0.1").unresolvedName == nil)
    }

    @Test func keepsTheSettingsOfTheUser() {
        let added = ConnectionSettings.additions(to: [
            "tcp_user_timeout": "5", "target_session_attrs": "primary", "gssencmode": "require",
        ])
        #expect(added["tcp_user_timeout"] == nil)
        #expect(added["target_session_attrs"] == nil)
        #expect(added["gssencmode"] == nil)
        #expect(added["keepalives_idle"] == "10")
        let standard = ConnectionSettings.additions(to: ["target_session_attrs": "any", "gssencmode": "prefer"])
        #expect(standard["target_session_attrs"] == "read-write")
        #expect(standard["gssencmode"] == "disable")
    }

    @Test(arguments: [
        ("postgres://u:p@h/d", nil), ("postgresql:///d?host=@socket", nil), ("host=h password=a://b@c@d", nil),
        ("mysql://u:hunter2@h/d", "mysql://"), ("postgresql+asyncpg://u:hunter2@h/d", "postgresql+asyncpg://"),
        ("'postgres://u:hunter2@h/d'", "'postgres://"), ("postgres://u:hunter2@ss/w@h/d", "%40"),
        ("postgres://u:hunter2/w@h:5432/d", "%2F"), ("postgres://u:hunter2?w@h/d", "%3F"),
        ("postgres://u:p@/d?host=/tmp", nil), ("postgres://u@[::1]:5432,h:1/d", nil), ("postgres://h/d?user=a@b", nil),
    ])
    func knowsURLsThatWouldBeReadAsSomethingElse(text: String, part: String?) {
        let problem = ConnectionSettings.problem(of: text)
        #expect((problem == nil) == (part == nil))
        #expect(problem?.contains(part ?? "") ?? true)
        #expect(problem?.contains("hunter2") != true)
    }

    @Test(arguments: [
        ("postgres://u:p@h/d?schema=public", "invalid URI query parameter: \"schema\"", "schema"),
        ("host=h schema=public", "invalid connection option \"schema\"", "schema"),
        ("host=h password=se cret=1", "invalid connection option \"cret\"", nil),
        ("postgres://u:1?cret=2@h/d", "invalid URI query parameter: \"cret\"", nil),
        ("postgres://h/d?password=a&cret=2", "invalid URI query parameter: \"cret\"", nil),
        ("host=h Secret2=1", "invalid connection option \"Secret2\"", nil),
        ("postgres://u:p@h/d?cret", "missing key/value separator \"=\" in URI query parameter: \"cret\"", nil),
        ("postgres://u:p@h/d?a=cret=", "extra key/value separator \"=\" in URI query parameter: \"cret\"", nil),
        ("host=h cret", "missing \"=\" after \"cret\" in connection info string", nil),
    ])
    func namesOnlyWhatIsNoPartOfAPassword(text: String, reason: String, name: String?) {
        #expect(ConnectionSettings.unknownParameter(in: text, reason).map(String.init) == name)
    }

    @Test func hidesWhatTheTextHas() {
        let hidden = ConnectionSettings.hidingParts(of: "password=se port=cret", in: "invalid port number: \"cret\"")
        #expect(hidden == "invalid port number: \"…\"")
        let shown = ConnectionSettings.hidingParts(of: "host=h", in: "definition of service \"here\" not found")
        #expect(shown == "definition of service \"here\" not found")
    }

    @Test func backsOffUpToFiveSeconds() {
        #expect(PostgresSlot.backOff(failureCount: 1, random: 1) == .milliseconds(100))
        #expect(PostgresSlot.backOff(failureCount: 3, random: 0.5) == .milliseconds(200))
        #expect(PostgresSlot.backOff(failureCount: 1000, random: 1) == .seconds(5))
        #expect(PostgresSlot.backOff(failureCount: 5, random: 0) == .zero)
    }
}
