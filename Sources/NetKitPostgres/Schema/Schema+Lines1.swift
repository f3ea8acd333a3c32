extension Schema {
    /// The functions that list entries, and remove many of them, in the first version of the schema.
    static let lineFunctions1 = """
        -- The first entries of each lane of some shards of a queue, those whose removal was requested, and the pauses. Shards
        -- of other queues are left out. A lane is found by its predecessor in the index, so that a long lane costs no more
        -- than a short one. Entries of a shard below its floor are left out, which saves reading what was deleted there,
        -- unless some of them are returned ones. Entries that another one has replaced are superseded. A row without an entry
        -- is a pause: paused is its rest, or null if it has no end. One row has only the numbers of transactions: those below
        -- oldest are over, and none has reached next. Compiling the plan would take longer than the rest. Without an order of
        -- the index, each entry with a subject would be compared with all later ones.
        CREATE FUNCTION netkit.lines_1(queue text, shards integer[], floors bigint[], depth integer) RETURNS TABLE (
          shard integer, lane text, "position" bigint, id uuid, state "char", to_be_removed boolean, superseded boolean,
          priority integer, attempts integer, conflicts integer, max_attempts integer, wait interval,
          time_left interval, failing_for interval, made_at timestamptz, expires_at timestamptz, settled_at timestamptz,
          status smallint, subject text, identity text, size integer, paused interval, oldest bigint,
          next bigint
        ) LANGUAGE sql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp SET jit = off
        SET enable_bitmapscan = off SET enable_seqscan = off AS $netkit$
          WITH RECURSIVE own AS MATERIALIZED (
            SELECT s.shard, s.floor
            FROM netkit.queue q, unnest(lines_1.shards, lines_1.floors) AS s(shard, floor)
            WHERE q.name = lines_1.queue AND s.shard BETWEEN q.base AND q.base + q.shards - 1
          ), line AS (
            SELECT s.shard, l.floor, f.lane, f.position
            FROM own s
            CROSS JOIN LATERAL (SELECT least(coalesce(s.floor, 0), min(e.position)) AS floor FROM netkit.entry e
                                WHERE e.shard = s.shard AND e.returned) l
            CROSS JOIN LATERAL (SELECT e.lane, e.position FROM netkit.entry e
                                WHERE e.shard = s.shard AND e.in_line AND e.position >= l.floor
                                ORDER BY e.lane, e.position LIMIT 1) f
            UNION ALL
            SELECT l.shard, l.floor, f.lane, f.position
            FROM line l
            CROSS JOIN LATERAL (SELECT e.lane, e.position FROM netkit.entry e
                                WHERE e.shard = l.shard AND e.in_line AND e.lane > l.lane AND e.position >= l.floor
                                ORDER BY e.lane, e.position LIMIT 1) f
          ), front AS (
            SELECT e.shard, e.lane, e.position, e.id, e.state, e.to_be_removed,
                   e.subject IS NOT NULL AND e.state = 'w' AND NOT e.begun AND (
                     EXISTS (SELECT FROM netkit.entry n
                             WHERE n.shard = e.shard AND n.lane = e.lane AND n.subject = e.subject AND n.state = 'w'
                               AND n.rule = 'r' AND n.position > e.position AND NOT n.to_be_removed
                               AND n.identity IS NOT DISTINCT FROM e.identity)
                     OR e.rule = 'k' AND
                     EXISTS (SELECT FROM netkit.entry n
                             WHERE n.shard = e.shard AND n.lane = e.lane AND n.subject = e.subject AND n.state = 'w'
                               AND NOT n.begun AND n.position < e.position AND NOT n.to_be_removed
                               AND n.identity IS NOT DISTINCT FROM e.identity)) AS superseded,
                   e.priority, e.attempts, e.conflicts, e.max_attempts, 
                   CASE WHEN isfinite(e.not_before) THEN e.not_before - clock_timestamp() END AS wait,
                   CASE WHEN isfinite(e.expires_at) THEN e.expires_at - clock_timestamp() END AS time_left,
                   e.failing_for, e.made_at, e.expires_at, e.settled_at, e.status, e.subject, e.identity, e.size
            FROM line l
            CROSS JOIN LATERAL (SELECT * FROM netkit.entry e
                                WHERE e.shard = l.shard AND e.lane = l.lane AND e.in_line AND e.position >= l.position
                                ORDER BY e.position LIMIT lines_1.depth) e
          )
          SELECT f.*, NULL::interval, NULL::bigint, NULL::bigint FROM front f
          UNION ALL
          SELECT e.shard, e.lane, e.position, e.id, e.state, true, false, e.priority, e.attempts, e.conflicts,
                 e.max_attempts, NULL, NULL, e.failing_for, e.made_at, e.expires_at, e.settled_at, e.status, e.subject,
                 e.identity, e.size, NULL, NULL, NULL
          FROM netkit.entry e
          WHERE e.shard = ANY (ARRAY(SELECT o.shard FROM own o)) AND e.to_be_removed AND e.id NOT IN (SELECT f.id FROM front f)
          UNION ALL
          SELECT p.shard, p.lane, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                 NULL, NULL, NULL, NULL, NULL,
                 CASE WHEN p.paused_until < 'infinity' THEN p.paused_until - clock_timestamp() END, NULL, NULL
          FROM netkit.lane p WHERE p.shard = ANY (ARRAY(SELECT o.shard FROM own o)) AND p.paused_until > clock_timestamp()
          UNION ALL
          SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                 NULL, NULL, NULL, NULL, pg_snapshot_xmin(t)::text::bigint,
                 -- Transactions with numbers from xmax on may be running.
                 pg_snapshot_xmax(t)::text::bigint + age(pg_snapshot_xmax(t)::xid)
          FROM pg_current_snapshot() AS t
        $netkit$;

        -- Removes dead letters of a queue that are too old, and the oldest ones above a number, and returns them: at most as
        -- many as count says, and no further ones after 8 MiB. One process at a time counts them, after it has found that
        -- there is something to remove.
        CREATE FUNCTION netkit.remove_dead_1(queue text, age interval, most bigint, count integer)
        RETURNS SETOF netkit.entry LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $netkit$
        DECLARE
          first_shard integer;
          last_shard integer;
        BEGIN
          \(needsReadCommitted1)
          SELECT q.base, q.base + q.shards - 1 INTO first_shard, last_shard
            FROM netkit.queue q WHERE q.name = remove_dead_1.queue;
          IF (SELECT count(*) > remove_dead_1.most
                OR coalesce(bool_or(e.settled_at <= clock_timestamp() - remove_dead_1.age), false)
              FROM netkit.entry e
              WHERE e.shard BETWEEN first_shard AND last_shard AND e.state <> 'w' AND e.state = 'd') IS NOT TRUE THEN
            RETURN;
          END IF;
          PERFORM pg_advisory_xact_lock(hashtextextended('netkit.bounds ' || remove_dead_1.queue, 0));
          RETURN QUERY
            WITH excess AS (
              SELECT d.id, d.base, sum(d.size) OVER (ORDER BY d.position) - d.size AS size_before
              FROM (SELECT o.id, o.base, o.position, o.settled_at, o.size,
                           row_number() OVER (ORDER BY o.position DESC) AS rank
                    FROM netkit.entry o
                    WHERE o.shard BETWEEN first_shard AND last_shard AND o.state <> 'w' AND o.state = 'd') d
              WHERE d.rank > remove_dead_1.most OR d.settled_at <= clock_timestamp() - remove_dead_1.age
              ORDER BY d.position LIMIT remove_dead_1.count
            ), target AS (
              SELECT e.id, e.base FROM netkit.entry e
              WHERE e.state = 'd' AND (e.id, e.base) IN (SELECT o.id, o.base FROM excess o WHERE o.size_before < 8388608)
              ORDER BY \(OutboxTable.lockOrder) FOR UPDATE
            )
            DELETE FROM netkit.entry e USING target t WHERE e.id = t.id AND e.base = t.base RETURNING e.*;
        END $netkit$;

        """
}
