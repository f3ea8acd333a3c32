extension Schema {
    /// The first version of the schema.
    ///
    /// After its release, every change is a new version. A function whose parameters, result or meaning change
    /// then gets another number, and the old one stays for processes that have not been replaced yet.
    static let version1 = tables1 + queueFunctions1 + entryFunctions1 + lineFunctions1 + rateFunctions1 + cache1

    private static let tables1 = """
        -- Queues, and the range of shards of each: base to base + shards - 1. A range is never used again.
        CREATE TABLE netkit.queue (
          name   text COLLATE "C" PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 200),
          base   integer NOT NULL UNIQUE,
          shards integer NOT NULL CHECK (shards BETWEEN 1 AND 4096 AND shards & (shards - 1) = 0)
        );

        CREATE SEQUENCE netkit.queue_shard MINVALUE 0;

        -- Processes that send, each with the end of its lease; only heartbeats write here.
        CREATE TABLE netkit.replica (
          id         uuid PRIMARY KEY,
          queue      text COLLATE "C" NOT NULL,
          label      text NOT NULL,
          expires_at timestamptz NOT NULL
        ) WITH (fillfactor = 50);
        CREATE INDEX replica_queue ON netkit.replica (queue);

        -- The owner of each shard. The fence rises with each change of owner, and begins with a time, so that the fences of
        -- a queue that is made again differ from those before.
        CREATE TABLE netkit.shard (
          id    integer PRIMARY KEY,
          queue text COLLATE "C" NOT NULL,
          owner uuid,
          fence bigint NOT NULL DEFAULT 0
        ) WITH (fillfactor = 50);
        CREATE INDEX shard_queue ON netkit.shard (queue);

        -- Requests that wait to be sent. A row is inserted once and deleted once; only retries and the like update it.
        -- state: w waits, d is a dead letter, c has a conflict. rule: a append, r replace, k keep. changed_key is the
        -- idempotency key of a request that was changed to resolve a conflict. returned marks an entry in line that was out
        -- of line before. base is that of the queue, each of which has identifiers of its own.
        CREATE TABLE netkit.entry (
          id            uuid NOT NULL DEFAULT gen_random_uuid(),
          base          integer NOT NULL,
          position      bigint GENERATED ALWAYS AS IDENTITY,
          shard         integer NOT NULL,
          lane          text COLLATE "C" NOT NULL,
          state         "char" NOT NULL DEFAULT 'w' CHECK (state IN ('w', 'd', 'c')),
          in_line       boolean NOT NULL DEFAULT true,
          returned      boolean NOT NULL DEFAULT false,
          begun         boolean NOT NULL DEFAULT false,
          to_be_removed boolean NOT NULL DEFAULT false,
          rule          "char" NOT NULL DEFAULT 'a' CHECK (rule IN ('a', 'r', 'k')),
          status        smallint,
          priority      integer NOT NULL DEFAULT 0,
          attempts      integer NOT NULL DEFAULT 0,
          conflicts     integer NOT NULL DEFAULT 0,
          max_attempts  integer,
          size          integer NOT NULL,
          made_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
          not_before    timestamptz,
          expires_at    timestamptz,
          settled_at    timestamptz,
          failing_for   interval,
          subject       text COLLATE "C",
          identity      text COLLATE "C",
          request       jsonb NOT NULL,
          body          bytea,
          detail        jsonb,
          changed_key   text,
          PRIMARY KEY (id, base)
        ) WITH (
          fillfactor = 90, toast_tuple_target = 2040, autovacuum_vacuum_scale_factor = 0.02,
          autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_insert_scale_factor = 0.1,
          autovacuum_vacuum_cost_delay = 0
        );
        ALTER TABLE netkit.entry ALTER body SET STORAGE EXTERNAL;
        CREATE INDEX entry_line ON netkit.entry (shard, lane, position) WHERE in_line;
        CREATE INDEX entry_returned ON netkit.entry (shard, position) WHERE returned;
        CREATE INDEX entry_aside ON netkit.entry (shard, position) WHERE state <> 'w';
        CREATE INDEX entry_removal ON netkit.entry (shard) WHERE to_be_removed;
        CREATE INDEX entry_subject ON netkit.entry (shard, lane, subject, rule, position)
          WHERE subject IS NOT NULL AND state = 'w';

        -- Lanes that are paused; until infinity means until they are resumed. reason is that of a process, such as
        -- unauthorized.
        CREATE TABLE netkit.lane (
          shard        integer NOT NULL,
          lane         text COLLATE "C" NOT NULL,
          paused_until timestamptz NOT NULL,
          reason       text,
          PRIMARY KEY (shard, lane)
        );

        -- Tokens, sealed by the client if it was told to, the time at which each expires, and the process that refreshes it
        -- at the moment.
        CREATE TABLE netkit.token (
          name       text COLLATE "C" PRIMARY KEY,
          version    bigint NOT NULL DEFAULT 0,
          sealed     bytea,
          expires_at timestamptz,
          holder     uuid,
          held_until timestamptz
        ) WITH (fillfactor = 50);

        -- Rate limits: the time at which each is as if nothing had been sent. A crash of the server may forget them.
        CREATE UNLOGGED TABLE netkit.rate (
          key     text COLLATE "C" PRIMARY KEY,
          full_at timestamptz NOT NULL
        ) WITH (fillfactor = 50);

        -- The processes that use each rate limit, so that each knows its share while the database is away.
        CREATE UNLOGGED TABLE netkit.rate_user (
          key     text COLLATE "C" NOT NULL,
          replica uuid NOT NULL,
          seen_at timestamptz NOT NULL,
          PRIMARY KEY (key, replica)
        );

        """
}
