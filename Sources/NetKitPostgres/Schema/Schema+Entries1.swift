extension Schema {
    /// The condition that an entry is in the queue of `add_1`; each part has an index.
    private static let isInQueue1 = """
        (e.shard BETWEEN first_shard AND last_shard AND e.in_line
          OR e.shard BETWEEN first_shard AND last_shard AND e.state <> 'w')
        """

    /// The functions of entries in the first version of the schema.
    static let entryFunctions1 = """
        -- Puts a request into a queue, in the caller's own transaction, and returns its name.
        --
        -- It only inserts one row, so that it waits for no other transaction. It adds nothing if an entry of the queue has the
        -- id already.
        -- The rules for requests with the same subject in one lane are kept when the request is about to be sent: append
        -- sends all of them in order, replace only the latest, and keep only the first. A request is found within the
        -- interval of polling, or at once with wake; wake slows down a busy database, in which transactions with
        -- notifications are committed one after the other.
        CREATE FUNCTION netkit.enqueue(
          queue text, request jsonb, lane text DEFAULT 'default', body bytea DEFAULT NULL, id uuid DEFAULT NULL,
          priority integer DEFAULT 0, wait interval DEFAULT NULL, expires_at timestamptz DEFAULT NULL,
          subject text DEFAULT NULL, rule text DEFAULT 'append', max_attempts integer DEFAULT NULL,
          identity text DEFAULT NULL, wake boolean DEFAULT false
        ) RETURNS uuid
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $netkit$
        DECLARE
          first_shard integer;
          target integer;
          name uuid := coalesce(enqueue.id, gen_random_uuid());
          length integer := octet_length(enqueue.request::text);
          problem text;
        BEGIN
          SELECT q.base, netkit.shard_1(q.name, enqueue.lane) INTO first_shard, target
            FROM netkit.queue q WHERE q.name = enqueue.queue;
          IF NOT FOUND THEN
            RAISE EXCEPTION 'netkit: there is no queue %', enqueue.queue
              USING ERRCODE = 'undefined_object', HINT = 'A process opens the queue once before rows are put into it.';
          END IF;
          problem := CASE
            WHEN enqueue.lane IS NULL THEN 'the lane is null'
            WHEN greatest(octet_length(enqueue.lane), octet_length(enqueue.subject), octet_length(enqueue.identity)) > 1000
              THEN 'the lane, the subject and the identity have at most 1000 bytes'
            WHEN enqueue.request IS NULL OR jsonb_typeof(enqueue.request) <> 'object' THEN 'the request is not an object'
            WHEN length > 2097152 THEN 'a request without its body has at most 2 MiB'
            WHEN octet_length(enqueue.body) > 8388608 THEN 'a body has at most 8 MiB'
            WHEN enqueue.rule IS NULL OR enqueue.rule NOT IN ('append', 'replace', 'keep')
              THEN 'the rule is not append, replace or keep'
            WHEN enqueue.max_attempts < 1 THEN 'the number of attempts is less than 1'
            WHEN NOT isfinite(enqueue.wait) THEN 'the wait has no end'
            WHEN enqueue.expires_at = '-infinity' THEN 'the request has expired'
          END;
          IF problem IS NOT NULL THEN
            RAISE EXCEPTION 'netkit: %', problem USING ERRCODE = 'invalid_parameter_value';
          END IF;
          -- The number of the transaction comes before the position of the row; see the floors of lines_1.
          PERFORM pg_current_xact_id();
          INSERT INTO netkit.entry AS e (id, base, shard, lane, priority, not_before, expires_at, subject, rule,
                                         max_attempts, identity, size, request, body)
            VALUES (name, first_shard, target, enqueue.lane, coalesce(enqueue.priority, 0), clock_timestamp() + enqueue.wait,
                    enqueue.expires_at, enqueue.subject, left(enqueue.rule, 1)::"char", enqueue.max_attempts,
                    enqueue.identity, length + coalesce(octet_length(enqueue.body), 0),
                    enqueue.request, enqueue.body)
            ON CONFLICT ON CONSTRAINT entry_pkey DO NOTHING;
          IF enqueue.wake THEN
            PERFORM pg_notify('netkit_work', enqueue.queue || ' ' || target);
          END IF;
          RETURN name;
        END $netkit$;

        -- Adds entries for a process of NetKit, in a transaction of its own, and applies their rules at once: replace removes
        -- the entries of the subject that wait, keep adds nothing if there is one. With bounds, it counts the entries of the
        -- queue, one process at a time. Each row says what became of an entry: added, kept (because of the row's entry),
        -- replaced, dropped or full. There is none for a name that exists in the queue. It fails if the shards are not those of
        -- the queue.
        CREATE FUNCTION netkit.add_1(
          queue text, ids uuid[], shards integer[], lanes text[], requests jsonb[], bodies bytea[], sizes integer[],
          priorities integer[], lifetimes interval[], max_attempts integer[], identities text[], subjects text[],
          rules text[], max_entries bigint DEFAULT NULL, max_bytes bigint DEFAULT NULL, max_dead bigint DEFAULT NULL,
          drops_oldest boolean DEFAULT false
        ) RETURNS TABLE (
          outcome text, addition uuid, id uuid, "position" bigint, shard integer, lane text, state "char",
          priority integer, attempts integer, conflicts integer, made_at timestamptz, size integer, subject text,
          identity text
        ) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $netkit$
        #variable_conflict use_column
        DECLARE
          is_bound boolean := num_nonnulls(add_1.max_entries, add_1.max_bytes, add_1.max_dead) > 0;
          entry_count bigint;
          byte_count bigint;
          dead_count bigint;
          first_shard integer;
          last_shard integer;
          is_keyed boolean;
          gone uuid[];
          dropped uuid[];
          gone_bytes bigint;
          oldest uuid[] := '{}';
          oldest_sizes integer[];
          oldest_of text;
          next_oldest integer := 1;
        BEGIN
          \(needsReadCommitted1)
          -- The number of the transaction comes before the positions of its rows; see the floors of lines_1.
          PERFORM pg_current_xact_id();
          SELECT q.base, q.base + q.shards - 1 INTO first_shard, last_shard FROM netkit.queue q WHERE q.name = add_1.queue;
          IF NOT FOUND OR NOT (first_shard <= ALL (add_1.shards) AND last_shard >= ALL (add_1.shards)) THEN
            \(queueIsGone1("add_1.queue"))
          END IF;
          IF NOT is_bound AND NOT EXISTS (
            SELECT FROM unnest(add_1.subjects, add_1.rules) AS k(subject, rule) WHERE k.subject IS NOT NULL AND k.rule <> 'a'
          ) THEN
            RETURN QUERY
              INSERT INTO netkit.entry AS e (id, base, shard, lane, request, body, size, priority, expires_at,
                                             max_attempts, identity, subject, rule)
              SELECT a.id, first_shard, a.shard, a.lane, a.request, a.body, a.size, a.priority,
                     clock_timestamp() + a.lifetime, a.max_attempts, a.identity, a.subject, a.rule::"char"
              FROM unnest(add_1.ids, add_1.shards, add_1.lanes, add_1.requests, add_1.bodies, add_1.sizes,
                          add_1.priorities, add_1.lifetimes, add_1.max_attempts, add_1.identities, add_1.subjects,
                          add_1.rules)
                AS a(id, shard, lane, request, body, size, priority, lifetime, max_attempts, identity, subject, rule)
              ON CONFLICT ON CONSTRAINT entry_pkey DO NOTHING
              RETURNING 'added', e.id, e.id, e.position, e.shard, e.lane, e.state, e.priority, e.attempts, e.conflicts,
                        e.made_at, e.size, e.subject, e.identity;
            RETURN;
          END IF;

          IF is_bound THEN
            PERFORM pg_advisory_xact_lock(hashtextextended('netkit.bounds ' || add_1.queue, 0));
            SELECT count(*), coalesce(sum(e.size), 0), count(*) FILTER (WHERE e.state = 'd')
              INTO entry_count, byte_count, dead_count
              FROM netkit.entry e
              WHERE \(isInQueue1);
          END IF;
          FOR i IN 1 .. cardinality(add_1.ids) LOOP
            CONTINUE WHEN EXISTS (SELECT FROM netkit.entry e WHERE e.id = add_1.ids[i] AND e.base = first_shard);
            is_keyed := add_1.subjects[i] IS NOT NULL AND add_1.rules[i] <> 'a';
            gone := '{}';
            dropped := '{}';
            gone_bytes := 0;
            IF is_keyed THEN
              -- One at a time for a subject, and in the same order in every process. The lock ends with the transaction.
              PERFORM pg_advisory_xact_lock(
                hashtextextended(add_1.lanes[i] || E'\n' || add_1.subjects[i], add_1.shards[i]));
              SELECT coalesce(array_agg(w.id ORDER BY w.position), '{}'), coalesce(sum(w.size), 0) INTO gone, gone_bytes
                FROM (SELECT e.id, e.position, e.size FROM netkit.entry e
                      WHERE e.shard = add_1.shards[i] AND e.lane = add_1.lanes[i] AND e.subject = add_1.subjects[i]
                        AND e.state = 'w' AND NOT e.begun AND NOT e.to_be_removed
                        AND e.identity IS NOT DISTINCT FROM add_1.identities[i]
                      ORDER BY e.position FOR UPDATE) w;
              IF add_1.rules[i] = 'k' AND cardinality(gone) > 0 THEN
                RETURN QUERY
                  SELECT 'kept', add_1.ids[i], e.id, e.position, e.shard, e.lane, e.state, e.priority, e.attempts,
                         e.conflicts, e.made_at, e.size, e.subject, e.identity
                  FROM netkit.entry e WHERE e.id = gone[cardinality(gone)] AND e.base = first_shard;
                CONTINUE;
              END IF;
            END IF;
            IF is_bound THEN
              IF add_1.drops_oldest AND dead_count < coalesce(add_1.max_dead, dead_count + 1) AND (
                entry_count + 1 - cardinality(gone) > add_1.max_entries
                OR byte_count + add_1.sizes[i] - gone_bytes > add_1.max_bytes
              ) THEN
                LOOP
                  -- Dead letters first, and only of the same identity. They are sorted once for many additions.
                  IF next_oldest > cardinality(oldest) OR oldest_of IS DISTINCT FROM add_1.identities[i] THEN
                    SELECT coalesce(array_agg(o.id), '{}'), coalesce(array_agg(o.size), '{}') INTO oldest, oldest_sizes
                      FROM (SELECT e.id, e.size FROM netkit.entry e
                            WHERE \(isInQueue1) AND NOT e.id = ANY (gone || dropped)
                              AND e.identity IS NOT DISTINCT FROM add_1.identities[i]
                              AND (e.state = 'd' OR e.state = 'w' AND NOT e.begun AND NOT e.to_be_removed)
                            ORDER BY e.state = 'w', e.position LIMIT 1000) o;
                    next_oldest := 1;
                    oldest_of := add_1.identities[i];
                    EXIT WHEN cardinality(oldest) = 0;
                  END IF;
                  IF NOT oldest[next_oldest] = ANY (gone) AND EXISTS (
                    SELECT FROM netkit.entry e
                    WHERE e.id = oldest[next_oldest] AND e.base = first_shard AND (e.state = 'd' OR NOT e.begun))
                  THEN
                    dropped := dropped || oldest[next_oldest];
                    gone_bytes := gone_bytes + oldest_sizes[next_oldest];
                  END IF;
                  next_oldest := next_oldest + 1;
                  EXIT WHEN (
                    entry_count + 1 - cardinality(gone) - cardinality(dropped) > add_1.max_entries
                    OR byte_count + add_1.sizes[i] - gone_bytes > add_1.max_bytes
                  ) IS NOT TRUE;
                END LOOP;
              END IF;
              IF dead_count >= add_1.max_dead
                OR entry_count + 1 - cardinality(gone) - cardinality(dropped) > add_1.max_entries
                OR byte_count + add_1.sizes[i] - gone_bytes > add_1.max_bytes
              THEN
                RETURN QUERY SELECT 'full', add_1.ids[i], NULL::uuid, NULL::bigint, NULL::integer, NULL::text,
                  NULL::"char", NULL::integer, NULL::integer, NULL::integer, NULL::timestamptz, NULL::integer, NULL::text,
                  NULL::text;
                CONTINUE;
              END IF;
              SELECT dead_count - count(*) INTO dead_count FROM netkit.entry e
                WHERE e.id = ANY (dropped) AND e.base = first_shard AND e.state = 'd';
            END IF;
            IF cardinality(gone) + cardinality(dropped) > 0 THEN
              RETURN QUERY
                DELETE FROM netkit.entry e
                WHERE e.id = ANY (gone || dropped) AND e.base = first_shard AND (e.state = 'd' OR NOT e.begun)
                RETURNING CASE WHEN e.id = ANY (gone) THEN 'replaced' ELSE 'dropped' END, add_1.ids[i], e.id,
                          e.position, e.shard, e.lane, e.state, e.priority, e.attempts, e.conflicts, e.made_at, e.size,
                          e.subject, e.identity;
            END IF;
            RETURN QUERY
              INSERT INTO netkit.entry AS e (id, base, shard, lane, request, body, size, priority, expires_at,
                                             max_attempts, identity, subject, rule)
              VALUES (add_1.ids[i], first_shard, add_1.shards[i], add_1.lanes[i], add_1.requests[i], add_1.bodies[i],
                      add_1.sizes[i], add_1.priorities[i], clock_timestamp() + add_1.lifetimes[i], add_1.max_attempts[i],
                      add_1.identities[i], add_1.subjects[i], add_1.rules[i]::"char")
              ON CONFLICT ON CONSTRAINT entry_pkey DO NOTHING
              RETURNING 'added', e.id, e.id, e.position, e.shard, e.lane, e.state, e.priority, e.attempts, e.conflicts,
                        e.made_at, e.size, e.subject, e.identity;
            entry_count := entry_count + 1 - cardinality(gone) - cardinality(dropped);
            byte_count := byte_count + add_1.sizes[i] - gone_bytes;
          END LOOP;
        END $netkit$;

        """
}
