extension Schema {
    /// The second version of the schema, which only adds a function, so that processes of the first one work on.
    static let version2 = """
        -- Does the same as invalidate_1, and returns the number of the change. A response that is kept with it takes the place
        -- of the removed ones, until the next change. Null if the URL was changed since the request with a number began.
        CREATE FUNCTION netkit.invalidate_2(resource text, channel text, since bigint)
        RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $netkit$
        DECLARE
          is_unchanged boolean;
        BEGIN
          \(needsReadCommitted1)
          -- In the order of keep_1. No other change comes between this look and the own change.
          PERFORM pg_advisory_xact_lock_shared(hashtextextended('', 4711));
          PERFORM pg_advisory_xact_lock(hashtextextended(invalidate_2.resource, 4711));
          is_unchanged := NOT EXISTS (
            SELECT FROM netkit.cache_change c
            WHERE c.resource IN (invalidate_2.resource, '') AND c.number > invalidate_2.since);
          PERFORM netkit.invalidate_1(invalidate_2.resource, invalidate_2.channel);
          RETURN (SELECT c.number FROM netkit.cache_change c WHERE c.resource = invalidate_2.resource AND is_unchanged);
        END $netkit$;

        """
}
