import Foundation
import NetKit
import NetKitTestSupport
import Testing

@Suite(.needsTheMachine, .needsCommand)
struct DatabaseCommandTests {
    @Test func printsTheSchemaWithoutADatabase() async throws {
        let printed = try await BuiltCommand.run(["database", "print", "--schema", "crm", "--role", "service"])
        #expect(printed.status == 0)
        #expect(printed.output.contains("CREATE TABLE \"crm\".entry"))
        #expect(printed.output.contains("TO \"service\";"))
        #expect(!printed.output.contains("netkit.entry"))
    }

    @Test(arguments: [
        (["database"], "the action is missing"), (["database", "drop"], "there is no action \"drop\""),
        (["database", "print", "--from", "x"], "--from needs a version number of 0 or more, not \"x\""),
        (["database", "print", "--from", "99"], "knows the versions 0, for no schema, to 2."),
        (["database", "print", "--schema", "A b"], "lower-case letters"),
        (["database", "status", "--schema", "A b", "--database", "postgresql://127.0.0.1:1/x"], "lower-case letters"),
        (["database", "print", "--database", "postgresql://127.0.0.1:1/x"], "print needs no database"),
        (["database", "migrate", "--role", "service"], "--from and --role are only for print"),
        (["database", "status", "--from", "1"], "--from and --role are only for print"),
        (["database", "migrate", "--json"], "--json is only for status"),
        (["database", "print", "--json"], "--json is only for status"),
    ])
    func saysWhatIsWrong(_ arguments: [String], message: String) async throws {
        let result = try await BuiltCommand.run(arguments)
        #expect(result.status == 2)
        #expect(result.notes.contains(message), "\(result.notes)")
    }

    @Test(.needs(.postgres)) func migratesAndShowsTheStatus() async throws {
        let server = try await PostgresServer.shared.value
        let database = ["--database", server.url(try await server.makeDatabase())]
        let before = try await BuiltCommand.run(["database", "status"] + database)
        #expect(before.status == 1)
        #expect(before.output.contains("there is no schema"))
        let migrated = try await BuiltCommand.run(["database", "migrate"] + database)
        #expect(migrated.status == 0, "\(migrated.notes)")
        let after = try await BuiltCommand.run(["database", "status", "--json"] + database)
        #expect(after.status == 0)
        let json = try JSONValue(parsing: Data(after.output.utf8))
        #expect(json["version"] != nil && json["version"] == json["known"], "\(after.output)")
    }

    @Test(.needs(.postgres)) func showsQueuesAndReplicas() async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        let status = ["database", "status", "--database", server.url(name)]
        #expect(try await BuiltCommand.run(["database", "migrate", "--database", server.url(name)]).status == 0)
        try await server.sql(
            """
            SELECT netkit.open_1('orders', 16), netkit.open_1('mails', 16);
            SELECT netkit.enqueue('orders', '{"method":"POST","url":"/1"}', lane => 'customer-' || n)
              FROM generate_series(1, 3) n;
            UPDATE netkit.entry SET state = 'd' WHERE lane = 'customer-3';
            UPDATE netkit.entry SET made_at = clock_timestamp() - interval '3 h' WHERE lane = 'customer-1';
            SELECT netkit.beat_1('orders', gen_random_uuid(), interval '1 h', 'host service 17');
            INSERT INTO netkit.replica
              VALUES (gen_random_uuid(), 'orders', 'host service 18' || chr(27) || '[2J', now() - interval '3 h');
            """,
            in: name
        )
        let text = try await BuiltCommand.run(status)
        #expect(text.status == 0, "\(text.notes)")
        let expected: [Regex<Substring>] = [
            #/schema netkit: version \d+; this process knows version \d+\n/#,
            #/server: PostgreSQL \d+\.\d+\n/#,
            #/queue mails: 0 waiting, 0 dead, 0 in conflict, 0 bytes\n  no replica, so nothing is sent\n/#,
            #/queue orders: 2 waiting, 1 dead, 0 in conflict, \d+ bytes, lag 3 h\n/#,
            #/  lanes customer: 2 waiting, the oldest for 3 h\n/#,
            #/  replica host service 17: 16 shards, lease for another 60 min\n/#,
            #/  replica host service 18\u{FFFD}\[2J: 0 shards, lease expired 3 h ago\n/#,
        ]
        var rest = text.output[...]
        for part in expected {
            let match = try #require(rest.firstMatch(of: part), "\(text.output)")
            rest = rest[match.range.upperBound...]
        }
        let json = try JSONValue(parsing: Data(try await BuiltCommand.run(status + ["--json"]).output.utf8))
        let orders = json["queues"]?.array?.last
        #expect(orders?["waiting"] == 2)
        #expect(orders?["replicas"]?.array?.first?["shards"] == 16)
    }

    /// Lanes are paused, and the only process has ended without giving up its lease.
    @Test(.needs(.postgres)) func saysWhatKeepsAQueueFromSending() async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        let status = ["database", "status", "--database", server.url(name)]
        #expect(try await BuiltCommand.run(["database", "migrate", "--database", server.url(name)]).status == 0)
        try await server.sql(
            """
            SELECT netkit.open_1('orders', 16);
            INSERT INTO netkit.lane VALUES
              (netkit.shard_1('orders', 'crm'), 'crm', clock_timestamp() + interval '3 h', 'unauthorized'),
              (netkit.shard_1('orders', 'over'), 'over', clock_timestamp() - interval '1 s', NULL);
            INSERT INTO netkit.lane SELECT netkit.shard_1('orders', 'z' || n), 'z' || n, 'infinity'::timestamptz
              FROM generate_series(10, 20) n;
            INSERT INTO netkit.replica VALUES (gen_random_uuid(), 'orders', 'host service 17', now() - interval '3 h');
            """,
            in: name
        )
        let text = try await BuiltCommand.run(status)
        #expect(text.status == 0, "\(text.notes)")
        #expect(text.output.contains("  lane crm is paused for another 3 h (unauthorized)\n"), "\(text.output)")
        #expect(text.output.contains("  lane z10 is paused until it is resumed\n"), "\(text.output)")
        #expect(text.output.contains("  2 other lanes are paused\n"), "\(text.output)")
        #expect(!text.output.contains("lane over"), "\(text.output)")
        #expect(text.output.hasSuffix("  every lease has expired, so nothing is sent\n"), "\(text.output)")
        let json = try JSONValue(parsing: Data(try await BuiltCommand.run(status + ["--json"]).output.utf8))
        let lanes = json["queues"]?.array?.first?["pausedLanes"]?.array
        #expect(lanes?.count == 12)
        #expect(lanes?.first?["reason"] == "unauthorized")
        #expect(lanes?.last?["seconds"] == nil)
    }

    /// Processes that know an older version work with a newer schema, so the command of an older version does.
    @Test(.needs(.postgres), arguments: [(1, true), (1000, false)])
    func showsTheQueuesOfANewerSchemaThatItCanUse(minimum: Int, isUsable: Bool) async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        let database = ["--database", server.url(name)]
        #expect(try await BuiltCommand.run(["database", "migrate"] + database).status == 0)
        try await server.sql(
            """
            SELECT netkit.open_1('orders', 16);
            UPDATE netkit.meta SET value = '1000' WHERE key = 'version';
            UPDATE netkit.meta SET value = '\(minimum)' WHERE key = 'minimum';
            """,
            in: name
        )
        let status = try await BuiltCommand.run(["database", "status"] + database)
        #expect(status.status == (isUsable ? 0 : 1), "\(status.notes)")
        #expect(status.output.contains("schema netkit: version 1000"))
        #expect(status.output.contains("queue orders: 0 waiting") == isUsable, "\(status.output)")
        let refusal = "the queues are not shown: they need a program that knows version 1000"
        #expect(status.output.contains(refusal) == !isUsable, "\(status.output)")
    }

    @Test(.needs(.postgres)) func listsAndChangesAQueue() async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        let database = ["--database", server.url(name)]
        #expect(try await BuiltCommand.run(["database", "migrate"] + database).status == 0)
        let unknown = try await BuiltCommand.run(["queue", "list", "orders"] + database)
        #expect(unknown.status == 1)
        #expect(unknown.notes.contains("The database has no queue \"orders\". There is none."), "\(unknown.notes)")
        try await server.sql("SELECT netkit.open_1('orders', 256)", in: name)
        try await server.sql(
            "SELECT netkit.enqueue('orders', '{\"v\":1,\"method\":\"POST\",\"url\":\"https://a.example/orders\"}')",
            in: name
        )
        let list = try await BuiltCommand.run(["queue", "list", "orders"] + database)
        #expect(list.notes.contains("1 entry: 1 waiting"), "\(list.notes)")
        let id = String(list.output.prefix(8))
        let shown = try await BuiltCommand.run(["queue", "show", "orders", id] + database)
        #expect(shown.output.contains("request: POST https://a.example/orders"), "\(shown.output) \(shown.notes)")
        for (action, words) in [("retry", "will be sent again"), ("remove", "was removed")] {
            let changed = try await BuiltCommand.run(["queue", action, "orders", id] + database)
            #expect(changed.output.contains(words), "\(changed.output) \(changed.notes)")
        }
        #expect(try await BuiltCommand.run(["queue", "list", "orders"] + database).notes.contains("0 entries"))
    }

    @Test(.needs(.postgres)) func findsAQueueInItsSchema() async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        let database = ["--database", server.url(name)]
        #expect(try await BuiltCommand.run(["database", "migrate", "--schema", "crm"] + database).status == 0)
        try await server.sql("SELECT crm.open_1('orders', 16)", in: name)
        let list = try await BuiltCommand.run(["queue", "list", "orders", "--schema", "crm"] + database)
        #expect(list.status == 0)
        #expect(list.notes.contains("0 entries"), "\(list.notes)")
        let other = try await BuiltCommand.run(["queue", "list", "orders"] + database)
        #expect(other.status == 1)
        #expect(other.notes.contains("The database has no schema \"netkit\"."), "\(other.notes)")
        #expect(!other.notes.contains("netkit database print"), "\(other.notes)")
    }

    /// An entry may leave between the listing in which the command finds it and the change.
    @Test(.needs(.postgres), arguments: ["retry", "remove"])
    func doesNotClaimToChangeAnEntryThatIsGone(action: String) async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        let database = ["--database", server.url(name)]
        #expect(try await BuiltCommand.run(["database", "migrate"] + database).status == 0)
        try await server.sql("SELECT netkit.open_1('orders', 16)", in: name)
        // With this trigger, a change finds no row, although a listing does.
        try await server.sql(
            """
            SELECT netkit.enqueue('orders', '{"v":1,"method":"POST","url":"https://a.example/orders"}');
            CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
            CREATE TRIGGER skip BEFORE UPDATE OR DELETE ON netkit.entry FOR EACH ROW EXECUTE FUNCTION skip();
            """,
            in: name
        )
        let id = String(try await BuiltCommand.run(["queue", "list", "orders"] + database).output.prefix(36))
        let changed = try await BuiltCommand.run(["queue", action, "orders", id] + database)
        #expect(changed.status == 1)
        #expect(changed.output.isEmpty, "\(changed.output)")
        #expect(changed.notes.contains("There is no entry \(id) anymore."), "\(changed.notes)")
    }

    @Test func aDatabaseThatIsAwayIsAnError() async throws {
        let result = try await BuiltCommand.run(["database", "status", "--database", "postgresql://127.0.0.1:1/x"])
        #expect(result.status == 1)
        #expect(result.notes.contains("Connection refused"), "\(result.notes)")
    }
}
