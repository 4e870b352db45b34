-- As migration 4 for the other tables.
ALTER POLICY reads ON faber.units USING (audience IN (SELECT faber.visible()));
