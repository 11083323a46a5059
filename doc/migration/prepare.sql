-- A second column of type msgpack, which a trigger fills for every row that is written from now on.
--   psql -v table=events -v column=doc -v storage=external -f prepare.sql
\set ON_ERROR_STOP on
SELECT :'column' || '_new' AS new_column, :'column' || '_to_new' AS fill
\gset
BEGIN;
SET LOCAL lock_timeout = '2s';
-- No default and no rewrite: the lock is held for a moment.
ALTER TABLE :table ADD COLUMN :"new_column" msgpack;
ALTER TABLE :table ALTER COLUMN :"new_column" SET STORAGE :storage;
SELECT format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS '
	'''BEGIN NEW.%I := NEW.%I::msgpack; RETURN NEW; END''', :'fill', :'new_column', :'column')
\gexec
-- Of every UPDATE, so that a row that moves in the backfill's way is converted too.
CREATE TRIGGER :"fill" BEFORE INSERT OR UPDATE ON :table FOR EACH ROW EXECUTE FUNCTION :"fill"();
COMMIT;
