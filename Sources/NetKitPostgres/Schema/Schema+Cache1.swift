extension Schema {
    /// The tables and functions of the cache in the first version of the schema.
    static let cache1 = """
        -- Responses. A crash of the server may forget them. A row without a body says that older responses are not kept.
        CREATE UNLOGGED TABLE netkit.cache (
          key        text COLLATE "C" PRIMARY KEY,
          resource   text COLLATE "C" NOT NULL,
          number     bigint NOT NULL,
          body_id    bigint NOT NULL,
          head       bytea NOT NULL,
          body       bytea,
          size       integer NOT NULL,
          stored_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
          drop_after timestamptz
        );
        ALTER TABLE netkit.cache ALTER body SET STORAGE EXTERNAL;
        CREATE INDEX cache_resource ON netkit.cache (resource);
        CREATE INDEX cache_drop ON netkit.cache (drop_after) WHERE drop_after IS NOT NULL;

        -- The number of the latest change of each URL, of all for the empty text. Responses to older requests are not kept.
        -- In the server's log: a response that is kept by mistake would be worse than a slow change.
        CREATE TABLE netkit.cache_change (
          resource   text COLLATE "C" PRIMARY KEY,
          number     bigint NOT NULL,
          changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
        );
        CREATE SEQUENCE netkit.cache_number;
        INSERT INTO netkit.meta (key, value) VALUES ('cache_secret', gen_random_uuid()::text);

        -- Keeps a response, unless its URL was changed since its request began, or a later request has written the key.
        CREATE FUNCTION netkit.keep_1(
          key text, resource text, number bigint, body_id bigint, head bytea, body bytea, drop_after timestamptz
        ) RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $netkit$
        BEGIN
          \(needsReadCommitted1)
          -- A change waits for the writes before it, and removes what they have written.
          PERFORM pg_advisory_xact_lock_shared(hashtextextended('', 4711));
          PERFORM pg_advisory_xact_lock_shared(hashtextextended(keep_1.resource, 4711));
          IF keep_1.number IS NOT NULL AND EXISTS (
            SELECT FROM netkit.cache_change c
            WHERE c.resource IN (keep_1.resource, '') AND c.number > keep_1.number) THEN
            RETURN false;
          END IF;
          INSERT INTO netkit.cache AS c (key, resource, number, body_id, head, body, size, drop_after)
            VALUES (keep_1.key, keep_1.resource, coalesce(keep_1.number, 0), keep_1.body_id, keep_1.head, keep_1.body,
                    octet_length(keep_1.head) + octet_length(keep_1.body), keep_1.drop_after)
            ON CONFLICT ON CONSTRAINT cache_pkey DO UPDATE SET
              number = greatest(c.number, excluded.number), body_id = excluded.body_id, head = excluded.head, body = excluded.body,
              size = excluded.size, stored_at = clock_timestamp(), drop_after = excluded.drop_after
            WHERE keep_1.number IS NULL OR c.number <= excluded.number;
          RETURN FOUND;
        END $netkit$;

        -- Removes a response. With a number, responses to older requests are not kept from then on.
        CREATE FUNCTION netkit.forget_1(key text, resource text, number bigint)
        RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $netkit$
        BEGIN
          IF forget_1.number IS NULL THEN
            DELETE FROM netkit.cache c WHERE c.key = forget_1.key;
            RETURN;
          END IF;
          INSERT INTO netkit.cache AS c (key, resource, number, body_id, head, size, drop_after)
            VALUES (forget_1.key, forget_1.resource, forget_1.number, 0, '', 0, clock_timestamp() + interval '1 day')
            ON CONFLICT ON CONSTRAINT cache_pkey DO UPDATE SET
              number = excluded.number, body_id = 0, head = '', body = NULL, size = 0, drop_after = excluded.drop_after
            WHERE c.number <= excluded.number;
        END $netkit$;

        -- Removes the responses of a URL, of all for the empty text, and tells the processes that listen.
        CREATE FUNCTION netkit.invalidate_1(resource text, channel text)
        RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $netkit$
        BEGIN
          \(needsReadCommitted1)
          PERFORM pg_advisory_xact_lock(hashtextextended(invalidate_1.resource, 4711));
          INSERT INTO netkit.cache_change AS c (resource, number)
            VALUES (invalidate_1.resource, nextval('netkit.cache_number'))
            ON CONFLICT ON CONSTRAINT cache_change_pkey DO UPDATE SET
              number = excluded.number, changed_at = clock_timestamp();
          DELETE FROM netkit.cache c WHERE invalidate_1.resource IN (c.resource, '');
          PERFORM pg_notify(invalidate_1.channel, invalidate_1.resource);
        END $netkit$;

        -- Removes responses that have expired, and the oldest above the bound; counts the latter. One process at a time.
        CREATE FUNCTION netkit.trim_cache_1(bound bigint) RETURNS integer
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $netkit$
        DECLARE
          evicted integer;
        BEGIN
          IF NOT pg_try_advisory_xact_lock(hashtextextended('trim', 4711)) THEN
            RETURN 0;
          END IF;
          DELETE FROM netkit.cache c WHERE c.drop_after < clock_timestamp();
          DELETE FROM netkit.cache_change c WHERE c.changed_at < clock_timestamp() - interval '1 day';
          DELETE FROM netkit.cache c WHERE c.key IN (
            SELECT s.key FROM (
              SELECT o.key, sum(o.size::bigint) OVER (ORDER BY o.stored_at DESC, o.key) AS total FROM netkit.cache o
            ) s WHERE s.total > trim_cache_1.bound);
          GET DIAGNOSTICS evicted = ROW_COUNT;
          RETURN evicted;
        END $netkit$;

        """
}
