-- Whom the rules of audiences allow is computed once for each transaction, instead of once for each table that a
-- statement reads: with hundreds of spaces that was most of the time of an answer.

-- The audiences, and their spaces, that `introduce` found for the principal of this transaction; none without one.
CREATE FUNCTION faber.visible() RETURNS SETOF int
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT unnest(nullif(current_setting('faber.visible', true), '')::int[]);
END;

CREATE FUNCTION faber.visible_spaces() RETURNS SETOF int
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT unnest(nullif(current_setting('faber.visible_spaces', true), '')::int[]);
END;

-- Sets who asks in this transaction, and about which spaces. What that shows follows from the policy of audiences.
CREATE FUNCTION faber.introduce(principal text, groups text, spaces text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM set_config('faber.principal', principal, true), set_config('faber.groups', groups, true),
        set_config('faber.spaces', spaces, true);
    PERFORM set_config('faber.visible', coalesce(array_agg(id)::text, ''), true),
        set_config('faber.visible_spaces', coalesce(array_agg(DISTINCT space)::text, ''), true)
    FROM faber.audiences;
END
$$;

ALTER POLICY reads ON faber.spaces USING (id IN (SELECT faber.visible_spaces()));
ALTER POLICY reads ON faber.items USING (audience IN (SELECT faber.visible()));
ALTER POLICY reads ON faber.postings USING (audience IN (SELECT faber.visible()));
ALTER POLICY reads ON faber.documents USING (audience IN (SELECT faber.visible()));
