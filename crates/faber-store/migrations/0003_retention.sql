-- How far back entries of each kind are kept. Items and lines before these days do not come back with a push or a log.
CREATE TABLE faber.retention (
    kind text PRIMARY KEY CHECK (kind IN ('history', 'memories', 'audit')),
    first date NOT NULL
);
GRANT SELECT ON faber.retention TO faber_reader, faber_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON faber.retention TO faber_admin;

-- The day of a note or message.
ALTER TABLE faber.items ADD COLUMN dated date;
CREATE INDEX items_dated ON faber.items (kind, dated) WHERE kind <> 'document';

-- A space is pushed as a whole, in one transaction, by one program: its revision, model and dimension are those of all
-- its rows. The copies in items were misleading, since an unchanged row kept the revision of an earlier push.
ALTER TABLE faber.items DROP COLUMN revision, DROP COLUMN model, DROP COLUMN dimension;
