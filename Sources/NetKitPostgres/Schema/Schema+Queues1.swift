extension Schema {
    // Every function names a search path, so that another user's object cannot replace one of PostgreSQL's.

    /// The beginning of a function that looks at rows after it has waited for a lock.
    static let needsReadCommitted1 = """
        IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
            RAISE EXCEPTION 'netkit: the isolation of the transaction is %, and has to be read committed',
              current_setting('transaction_isolation') USING ERRCODE = 'NK002',
              HINT = 'ALTER ROLE ... SET default_transaction_isolation = ''read committed''; for the role that connects.';
          END IF;
        """

    /// Returns the error of a function that finds no queue of a name, or one with other shards than its caller knows.
    static func queueIsGone1(_ name: String) -> String {
        """
        RAISE EXCEPTION 'netkit: the queue % was dropped or has other shards', \(name)
              USING ERRCODE = 'NK003', HINT = 'The schema was made again, or the database replaced by a backup.';
        """
    }

    /// The functions of queues, processes and shards in the first version of the schema.
    static let queueFunctions1 = """
        -- The shards of a queue, which is made if it does not exist: the first one, and their number. They were never those of
        -- another queue, whose late transactions may still add entries to them.
        CREATE FUNCTION netkit.open_1(queue text, wanted integer DEFAULT 256)
        RETURNS TABLE (base integer, shards integer)
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $netkit$
        #variable_conflict use_column
        DECLARE
          first_shard integer;
        BEGIN
          \(needsReadCommitted1)
          RETURN QUERY SELECT q.base, q.shards FROM netkit.queue q WHERE q.name = open_1.queue;
          IF FOUND THEN
            RETURN;
          END IF;
          PERFORM pg_advisory_xact_lock(hashtextextended('netkit.open', 0));
          IF NOT EXISTS (SELECT FROM netkit.queue q WHERE q.name = open_1.queue) THEN
            SELECT greatest(nextval('netkit.queue_shard'), max(q.base + q.shards), (SELECT max(s.id) + 1 FROM netkit.shard s))
              INTO first_shard FROM netkit.queue q;
            INSERT INTO netkit.queue (name, base, shards) VALUES (open_1.queue, first_shard, open_1.wanted);
            PERFORM setval('netkit.queue_shard', first_shard + open_1.wanted - 1);
            INSERT INTO netkit.shard (id, queue, fence)
              SELECT first_shard + number, open_1.queue, extract(epoch FROM clock_timestamp()) * 1000
              FROM generate_series(0, open_1.wanted - 1) AS number;
          END IF;
          RETURN QUERY SELECT q.base, q.shards FROM netkit.queue q WHERE q.name = open_1.queue;
        END $netkit$;

        -- The shard of a lane; null if there is no such queue. SHA-256, because it is the same on every machine and version.
        CREATE FUNCTION netkit.shard_1(queue text, lane text) RETURNS integer
        LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $netkit$
          SELECT q.base + ((get_byte(h.hash, 0) * 256 + get_byte(h.hash, 1)) & (q.shards - 1))
          FROM netkit.queue q, (SELECT sha256(convert_to(shard_1.lane, 'UTF8')) AS hash) h
          WHERE q.name = shard_1.queue
        $netkit$;

        -- One heartbeat: renews the lease, frees the shards of dead processes, takes free ones up to the fair share, and
        -- says which are too many, when the next lease of another process ends, and the first shard of the queue and their
        -- number. It fails if the queue does not exist anymore.
        CREATE FUNCTION netkit.beat_1(queue text, replica uuid, lease interval, label text DEFAULT '')
        RETURNS TABLE (
          shards integer[], fences bigint[], surplus integer[], next_lapse interval, base integer, shard_count integer
        )
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $netkit$
        DECLARE
          dead uuid[];
          share integer;
          mine integer;
        BEGIN
          \(needsReadCommitted1)
          SELECT q.base, q.shards INTO base, shard_count FROM netkit.queue q WHERE q.name = beat_1.queue;
          IF NOT FOUND THEN
            \(queueIsGone1("beat_1.queue"))
          END IF;
          INSERT INTO netkit.replica AS r (id, queue, label, expires_at)
            VALUES (beat_1.replica, beat_1.queue, beat_1.label, clock_timestamp() + beat_1.lease)
            ON CONFLICT (id) DO UPDATE SET expires_at = clock_timestamp() + beat_1.lease;

          WITH gone AS (
            DELETE FROM netkit.replica r WHERE r.id IN (
              SELECT x.id FROM netkit.replica x
              WHERE x.queue = beat_1.queue AND x.id <> beat_1.replica AND x.expires_at < clock_timestamp()
              FOR UPDATE SKIP LOCKED)
            RETURNING r.id)
          SELECT array_agg(gone.id) INTO dead FROM gone;
          IF dead IS NOT NULL THEN
            UPDATE netkit.shard s SET owner = NULL, fence = s.fence + 1
              WHERE s.queue = beat_1.queue AND s.owner = ANY (dead);
          END IF;

          SELECT ceil(count(*)::numeric / (SELECT count(*) FROM netkit.replica r WHERE r.queue = beat_1.queue)),
                 count(*) FILTER (WHERE s.owner = beat_1.replica)
            INTO share, mine FROM netkit.shard s WHERE s.queue = beat_1.queue;
          IF mine < share THEN
            UPDATE netkit.shard s SET owner = beat_1.replica, fence = s.fence + 1 WHERE s.id = ANY (ARRAY(
              SELECT f.id FROM netkit.shard f WHERE f.queue = beat_1.queue AND f.owner IS NULL
              LIMIT share - mine FOR UPDATE SKIP LOCKED));
          END IF;

          RETURN QUERY
            SELECT coalesce(array_agg(o.id ORDER BY o.id), '{}'),
                   coalesce(array_agg(o.fence ORDER BY o.id), '{}'),
                   coalesce(array_agg(o.id ORDER BY o.id) FILTER (WHERE o.number > share), '{}'),
                   (SELECT min(r.expires_at) - clock_timestamp() FROM netkit.replica r
                    WHERE r.queue = beat_1.queue AND r.id <> beat_1.replica),
                   beat_1.base, beat_1.shard_count
            FROM (SELECT s.id, s.fence, row_number() OVER (ORDER BY s.id) AS number
                  FROM netkit.shard s WHERE s.queue = beat_1.queue AND s.owner = beat_1.replica) o;
        END $netkit$;

        -- Hands over some shards, or all of them and the lease. Returns how many.
        CREATE FUNCTION netkit.leave_1(queue text, replica uuid, shards integer[] DEFAULT NULL) RETURNS integer
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $netkit$
        DECLARE
          number integer;
        BEGIN
          UPDATE netkit.shard s SET owner = NULL, fence = s.fence + 1
            WHERE s.queue = leave_1.queue AND s.owner = leave_1.replica
              AND (leave_1.shards IS NULL OR s.id = ANY (leave_1.shards));
          GET DIAGNOSTICS number = ROW_COUNT;
          IF leave_1.shards IS NULL THEN
            DELETE FROM netkit.replica r WHERE r.id = leave_1.replica;
          END IF;
          RETURN number;
        END $netkit$;

        -- Removes a queue with all its entries, which no process may have open. Returns the number of entries.
        CREATE FUNCTION netkit.drop_queue(queue text) RETURNS bigint
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $netkit$
        DECLARE
          number bigint;
        BEGIN
          PERFORM pg_advisory_xact_lock(hashtextextended('netkit.open', 0));
          IF EXISTS (SELECT FROM netkit.replica r
                     WHERE r.queue = drop_queue.queue AND r.expires_at > clock_timestamp()) THEN
            RAISE EXCEPTION 'netkit: a process has the queue % open', drop_queue.queue
              USING ERRCODE = 'object_in_use', HINT = 'Close the queue in every process, or wait until the leases are over.';
          END IF;
          DELETE FROM netkit.entry e USING netkit.shard s WHERE e.shard = s.id AND s.queue = drop_queue.queue;
          GET DIAGNOSTICS number = ROW_COUNT;
          DELETE FROM netkit.lane l USING netkit.shard s WHERE l.shard = s.id AND s.queue = drop_queue.queue;
          DELETE FROM netkit.shard s WHERE s.queue = drop_queue.queue;
          DELETE FROM netkit.replica r WHERE r.queue = drop_queue.queue;
          DELETE FROM netkit.queue q WHERE q.name = drop_queue.queue;
          RETURN number;
        END $netkit$;

        """
}
