-- No way back from here: the old column goes.  Its space comes back as rows are rewritten, or by VACUUM FULL.
--   psql -v table=events -v column=doc -f finish.sql
\set ON_ERROR_STOP on
SELECT :'column' || '_old' AS old_column, :'column' || '_to_old' AS keep
\gset
BEGIN;
SET LOCAL lock_timeout = '2s';
DROP TRIGGER :"keep" ON :table;
DROP FUNCTION :"keep"();
ALTER TABLE :table DROP COLUMN :"old_column";
COMMIT;
