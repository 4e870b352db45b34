-- Vectors of passages, where the extension pgvector can be used.
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE faber.units (
    item bigint NOT NULL REFERENCES faber.items ON DELETE CASCADE,
    number int NOT NULL,
    audience int NOT NULL REFERENCES faber.audiences ON DELETE CASCADE,
    vector halfvec(256) NOT NULL,
    PRIMARY KEY (item, number)
);
CREATE INDEX units_audience ON faber.units (audience);

ALTER TABLE faber.units ENABLE ROW LEVEL SECURITY;
ALTER TABLE faber.units FORCE ROW LEVEL SECURITY;
GRANT SELECT ON faber.units TO faber_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON faber.units TO faber_writer, faber_admin;
CREATE POLICY administers ON faber.units TO faber_admin USING (true) WITH CHECK (true);
CREATE POLICY reads ON faber.units FOR SELECT TO faber_reader
    USING (audience IN (SELECT id FROM faber.audiences));
CREATE POLICY writes ON faber.units TO faber_writer
    USING (audience IN (SELECT id FROM faber.audiences));
