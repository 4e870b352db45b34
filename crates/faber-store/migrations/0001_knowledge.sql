-- Knowledge of many workspaces. A space is the view of one workspace at one revision. Everything in it
-- belongs to an audience: those whom a set of rules allows. Row-level security compares rules with the
-- principal that each transaction sets; a transaction that sets none sees no row.
--
-- Three roles own nothing: faber_reader answers, faber_writer replaces one space, faber_admin counts and
-- erases.

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['faber_reader', 'faber_writer', 'faber_admin'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL; -- Another database of this server was made at the same time.
        END;
        -- May become the role, but does not see what it sees without doing so.
        IF current_setting('server_version_num')::int >= 160000 THEN
            EXECUTE format('GRANT %I TO CURRENT_USER WITH INHERIT FALSE, SET TRUE', wanted);
        ELSE
            EXECUTE format('GRANT %I TO CURRENT_USER', wanted);
        END IF;
    END LOOP;
END
$$;

GRANT USAGE ON SCHEMA faber TO faber_reader, faber_writer, faber_admin;
GRANT SELECT ON faber.migrations TO faber_reader, faber_writer, faber_admin;

CREATE TABLE faber.spaces (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- organization/space
    name text NOT NULL UNIQUE CHECK (name ~ '^[^/]+/[^/]+$'),
    revision text NOT NULL,
    -- How items are encoded; a program reads its own format only.
    format int NOT NULL,
    -- The role whose ids have no prefix, and all roles.
    role text,
    roles text[] NOT NULL,
    model text NOT NULL,
    dimension int NOT NULL,
    pushed_by text NOT NULL,
    pushed_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE faber.audiences (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space int NOT NULL REFERENCES faber.spaces ON DELETE CASCADE,
    space_name text NOT NULL,
    -- A list of rules with `owner` and `groups`; all have to allow the principal.
    rules jsonb NOT NULL,
    -- Statistics of its items, for ranking.
    items bigint NOT NULL DEFAULT 0,
    units bigint NOT NULL DEFAULT 0,
    lengths jsonb NOT NULL DEFAULT '[[[0,0],[0,0]],[[0,0],[0,0]]]',
    UNIQUE (space, rules)
);

CREATE TABLE faber.items (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space int NOT NULL REFERENCES faber.spaces ON DELETE CASCADE,
    audience int NOT NULL REFERENCES faber.audiences ON DELETE CASCADE,
    item text NOT NULL,
    -- Of several variants of the same, the visible one with the highest rank counts.
    variant_of text NOT NULL,
    rank int NOT NULL,
    kind text NOT NULL,
    category text,
    scopes smallint NOT NULL,
    path text NOT NULL,
    owner text,
    valid_to date,
    revision text NOT NULL,
    model text NOT NULL,
    dimension int NOT NULL,
    digest bytea NOT NULL,
    meta bytea NOT NULL,
    body bytea NOT NULL,
    analysis bytea NOT NULL,
    UNIQUE (space, item, audience)
);
CREATE INDEX items_variant ON faber.items (space, variant_of);
CREATE INDEX items_audience ON faber.items (audience);

-- The items that have a term: ids with the worth of the term in each. PostgreSQL has text search with an
-- index of its own, but may not use that index where row-level security filters, since `@@` is not leakproof;
-- equality of text is.
CREATE TABLE faber.postings (
    stem text NOT NULL,
    audience int NOT NULL REFERENCES faber.audiences ON DELETE CASCADE,
    items int NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (stem, audience)
);
ALTER TABLE faber.postings ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX postings_audience ON faber.postings (audience);

-- The source files.
CREATE TABLE faber.documents (
    space int NOT NULL REFERENCES faber.spaces ON DELETE CASCADE,
    audience int NOT NULL REFERENCES faber.audiences ON DELETE CASCADE,
    path text NOT NULL,
    digest bytea NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (space, path)
);
CREATE INDEX documents_audience ON faber.documents (audience);

-- Whether the rules allow the principal of this transaction. Settings of an earlier transaction read as ''.
CREATE FUNCTION faber.may_read(rules jsonb) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT coalesce(current_setting('faber.principal', true), '') <> ''
        AND coalesce(current_setting('faber.groups', true), '') <> ''
        AND NOT EXISTS (
            SELECT FROM jsonb_array_elements(rules) AS r(rule)
            WHERE (rule ? 'owner'
                    AND 'user:' || (rule ->> 'owner') IS DISTINCT FROM current_setting('faber.principal', true))
                OR (rule ? 'groups' AND NOT EXISTS (
                    SELECT FROM jsonb_array_elements_text(rule -> 'groups') AS g(name)
                    WHERE nullif(current_setting('faber.groups', true), '')::jsonb ? name))
        );
END;

-- Whether this transaction asks for a space: `*` or a list of names.
CREATE FUNCTION faber.in_spaces(name text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE coalesce(current_setting('faber.spaces', true), '')
        WHEN '' THEN false
        WHEN '*' THEN true
        ELSE current_setting('faber.spaces', true)::jsonb ? name
    END;
END;

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['spaces', 'audiences', 'items', 'postings', 'documents'] LOOP
        EXECUTE format('ALTER TABLE faber.%I ENABLE ROW LEVEL SECURITY', wanted);
        EXECUTE format('ALTER TABLE faber.%I FORCE ROW LEVEL SECURITY', wanted);
        EXECUTE format('GRANT SELECT ON faber.%I TO faber_reader', wanted);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON faber.%I TO faber_writer, faber_admin', wanted);
        EXECUTE format('CREATE POLICY administers ON faber.%I TO faber_admin USING (true) WITH CHECK (true)', wanted);
    END LOOP;
END
$$;

CREATE POLICY reads ON faber.audiences FOR SELECT TO faber_reader
    USING (faber.in_spaces(space_name) AND faber.may_read(rules));
CREATE POLICY reads ON faber.spaces FOR SELECT TO faber_reader
    USING (id IN (SELECT space FROM faber.audiences));
CREATE POLICY reads ON faber.items FOR SELECT TO faber_reader
    USING (audience IN (SELECT id FROM faber.audiences));
CREATE POLICY reads ON faber.postings FOR SELECT TO faber_reader
    USING (audience IN (SELECT id FROM faber.audiences));
CREATE POLICY reads ON faber.documents FOR SELECT TO faber_reader
    USING (audience IN (SELECT id FROM faber.audiences));

-- A writer sees the one space that its transaction names.
CREATE POLICY writes ON faber.spaces TO faber_writer
    USING (name = current_setting('faber.writes', true));
CREATE POLICY writes ON faber.audiences TO faber_writer
    USING (space_name = current_setting('faber.writes', true));
CREATE POLICY writes ON faber.items TO faber_writer
    USING (space IN (SELECT id FROM faber.spaces));
CREATE POLICY writes ON faber.documents TO faber_writer
    USING (space IN (SELECT id FROM faber.spaces));
CREATE POLICY writes ON faber.postings TO faber_writer
    USING (audience IN (SELECT id FROM faber.audiences));
