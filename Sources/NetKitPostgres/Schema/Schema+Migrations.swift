import NetKit

extension Schema {
    /// The number of the latest version.
    static let latestVersion = 2

    /// The SQLSTATE of a migration that finds another version than it begins with.
    static let otherVersion = "NK001"

    /// The SQLSTATE of a database, a schema or a transaction that does not have the needed properties.
    static let unsuitable = "NK002"

    /// The SQLSTATE of a statement about a queue that does not exist anymore, or has other shards than the process
    /// knows.
    static let otherShards = "NK003"

    /// Returns the statements from a version to the next, which are meant to run as one transaction.
    ///
    /// They wait for other processes that migrate, and fail with `otherVersion` if one of them was faster.
    func migration(from version: Int) -> String? {
        switch version {
        case 0: naming(Self.beginning1 + Self.version1 + Self.ending1)
        case 1: naming(Self.beginning2 + Self.version2)
        default: nil
        }
    }

    private static let lock = """
        -- One migration at a time.
        SELECT pg_advisory_xact_lock(hashtextextended('netkit.migrate', 0));

        """

    private static let beginning1 =
        lock + """
            -- A connection that locks no table may still know names from before the wait for another migration.
            LOCK TABLE pg_catalog.pg_namespace IN ACCESS SHARE MODE;

            DO $netkit$
            BEGIN
              IF to_regclass('netkit.meta') IS NOT NULL THEN
                RAISE EXCEPTION 'netkit: the schema has tables already' USING ERRCODE = 'NK001';
              END IF;
              IF current_setting('server_version_num')::integer < 130000 THEN
                RAISE EXCEPTION 'netkit: the version of PostgreSQL is %, and has to be 13 or later',
                  current_setting('server_version') USING ERRCODE = 'NK002';
              END IF;
              IF current_setting('server_encoding') <> 'UTF8' THEN
                RAISE EXCEPTION 'netkit: the encoding of the database is %, and has to be UTF8',
                  current_setting('server_encoding') USING ERRCODE = 'NK002';
              END IF;
              IF to_regnamespace('netkit') IS NULL THEN
                CREATE SCHEMA netkit;
              ELSIF NOT EXISTS (
                SELECT FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner
                JOIN pg_database d ON d.datname = current_database()
                WHERE n.oid = to_regnamespace('netkit') AND (r.rolname = current_user OR r.rolsuper OR r.oid = d.datdba)
              ) THEN
                RAISE EXCEPTION 'netkit: the schema belongs to a role that could replace what is put into it'
                  USING ERRCODE = 'NK002', HINT = 'ALTER SCHEMA netkit OWNER TO ... the role that runs this.';
              END IF;
            END $netkit$;

            -- The version of the schema, and the oldest one that processes may know.
            CREATE TABLE netkit.meta (key text COLLATE "C" PRIMARY KEY, value text NOT NULL);

            """

    private static let ending1 = """
        INSERT INTO netkit.meta (key, value) VALUES ('version', '1'), ('minimum', '1');

        """

    private static let beginning2 =
        lock + """
            DO $netkit$
            BEGIN
              UPDATE netkit.meta m SET value = '2' WHERE m.key = 'version' AND m.value = '1';
              IF NOT FOUND THEN
                RAISE EXCEPTION 'netkit: the schema does not have version 1' USING ERRCODE = 'NK001';
              END IF;
            END $netkit$;

            """

    /// Returns the statements that let a role use the schema but not change it.
    func grants(to role: String) -> String {
        let quoted = "\"" + role.replacing("\"", with: "\"\"") + "\""
        let lines = [
            "USAGE ON SCHEMA netkit",
            "SELECT ON netkit.meta",
            """
            SELECT, INSERT, UPDATE, DELETE ON netkit.queue, netkit.replica, netkit.shard, netkit.entry, netkit.lane,
              netkit.token, netkit.rate, netkit.rate_user, netkit.cache, netkit.cache_change
            """,
            "USAGE ON SEQUENCE netkit.cache_number",
            "USAGE, UPDATE ON SEQUENCE netkit.queue_shard",
            // All roles may call a function, unless the default privileges of its owner say otherwise.
            "EXECUTE ON ALL FUNCTIONS IN SCHEMA netkit",
        ]
        return lines.map { "GRANT \(naming($0)) TO \(quoted);\n" }.joined()
    }
}
