-- Lines of audit logs. The log on each disk is the buffer. A line is known by the connection that it is of,
-- its digest, and its number among equal lines of that connection, so no line comes twice.
CREATE TABLE faber.audit (
    origin text NOT NULL,
    digest bytea NOT NULL,
    number int NOT NULL,
    at timestamptz NOT NULL,
    principal text,
    tool text NOT NULL,
    ids text[] NOT NULL,
    line jsonb NOT NULL,
    PRIMARY KEY (origin, digest, number)
);
CREATE INDEX audit_principal ON faber.audit (principal, at);
CREATE INDEX audit_ids ON faber.audit USING gin (ids);
CREATE INDEX audit_at ON faber.audit (at);

ALTER TABLE faber.audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE faber.audit FORCE ROW LEVEL SECURITY;
-- Readers may add lines, and read none.
GRANT INSERT ON faber.audit TO faber_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON faber.audit TO faber_admin;
CREATE POLICY ships ON faber.audit FOR INSERT TO faber_reader WITH CHECK (true);
CREATE POLICY administers ON faber.audit TO faber_admin USING (true) WITH CHECK (true);
