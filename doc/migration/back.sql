-- Undoes swap.sql: the old column has all that was written since, its default, indexes and constraints; NOT NULL
-- is to be set again.
--   psql -v table=events -v column=doc -f back.sql
\set ON_ERROR_STOP on
SELECT :'column' || '_old' AS old_column, :'column' || '_to_old' AS keep
\gset
BEGIN;
SET LOCAL lock_timeout = '2s';
LOCK TABLE :table IN ACCESS EXCLUSIVE MODE;
DROP TRIGGER :"keep" ON :table;
DROP FUNCTION :"keep"();
ALTER TABLE :table DROP COLUMN :"column";
ALTER TABLE :table RENAME COLUMN :"old_column" TO :"column";
COMMIT;
