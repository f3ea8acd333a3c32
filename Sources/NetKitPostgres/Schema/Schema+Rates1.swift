extension Schema {
    /// The functions of rate limits in the first version of the schema.
    static let rateFunctions1 = """
        -- Takes permits from a bucket, as many as there are, up to a number. A bucket that was never used is full.
        CREATE FUNCTION netkit.take_1(bucket text, step interval, burst integer, wanted integer)
        RETURNS TABLE (granted integer, wait interval)
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $netkit$
        DECLARE
          seconds double precision := extract(epoch FROM take_1.step);
          moment timestamptz;
          start timestamptz;
          free double precision;
        BEGIN
          \(needsReadCommitted1)
          LOOP
            SELECT r.full_at INTO start FROM netkit.rate r WHERE r.key = take_1.bucket FOR UPDATE;
            EXIT WHEN FOUND;
            INSERT INTO netkit.rate (key, full_at) VALUES (take_1.bucket, clock_timestamp()) ON CONFLICT DO NOTHING;
          END LOOP;
          -- After the wait for the row, so that no time counts twice.
          moment := clock_timestamp();
          -- Not more than empty, if the limit was another one before or the server's clock went back.
          start := least(greatest(start, moment), moment + take_1.step * take_1.burst);
          free := take_1.burst - extract(epoch FROM start - moment) / seconds;
          granted := greatest(0, least(take_1.wanted, floor(free + 1e-6)::integer));
          start := start + take_1.step * granted;
          IF granted > 0 THEN
            UPDATE netkit.rate SET full_at = start WHERE key = take_1.bucket;
          END IF;
          IF granted < take_1.wanted THEN
            wait := greatest(interval '1 microsecond', start + take_1.step - moment - take_1.step * take_1.burst);
          END IF;
          RETURN NEXT;
        END $netkit$;

        -- Notes that a process uses a bucket, and counts those that have used it lately.
        CREATE FUNCTION netkit.use_rate_1(bucket text, me uuid) RETURNS integer
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $netkit$
        DECLARE
          users integer;
        BEGIN
          INSERT INTO netkit.rate_user AS u (key, replica, seen_at) VALUES (bucket, me, clock_timestamp())
            ON CONFLICT (key, replica) DO UPDATE SET seen_at = clock_timestamp();
          DELETE FROM netkit.rate_user u WHERE u.key = bucket AND u.seen_at < clock_timestamp() - interval '1 minute';
          SELECT count(*) INTO users FROM netkit.rate_user u
            WHERE u.key = bucket AND u.seen_at > clock_timestamp() - interval '15 seconds';
          RETURN users;
        END $netkit$;

        """
}
