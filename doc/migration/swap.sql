-- The new column takes the old one's name; the old one stays, and a trigger keeps it up to date, so that there
-- is a way back.  Indexes and constraints of the new column are made before.
--   psql -v table=events -v column=doc -f swap.sql
\set ON_ERROR_STOP on
SELECT :'column' || '_new' AS new_column, :'column' || '_old' AS old_column,
	   :'column' || '_to_new' AS fill, :'column' || '_to_old' AS keep,
	   format_type(atttypid, atttypmod) AS old_type
  FROM pg_attribute WHERE attrelid = :'table'::regclass AND attname = :'column'
\gset
BEGIN;
SET LOCAL lock_timeout = '2s';
LOCK TABLE :table IN ACCESS EXCLUSIVE MODE;
DROP TRIGGER :"fill" ON :table;
DROP FUNCTION :"fill"();
-- What the column promised the new one promises: NOT NULL without reading the table where a valid CHECK says so.
SELECT format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', :'table', :'new_column')
  FROM pg_attribute WHERE attrelid = :'table'::regclass AND attname = :'column' AND attnotnull
\gexec
SELECT format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT (%s)::msgpack', :'table', :'new_column',
	pg_get_expr(adbin, adrelid))
  FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
 WHERE adrelid = :'table'::regclass AND attname = :'column'
\gexec
ALTER TABLE :table ALTER COLUMN :"column" DROP NOT NULL;
ALTER TABLE :table RENAME COLUMN :"column" TO :"old_column";
ALTER TABLE :table RENAME COLUMN :"new_column" TO :"column";
SELECT format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS '
	'''BEGIN NEW.%I := NEW.%I::%s; RETURN NEW; END''', :'keep', :'old_column', :'column', :'old_type')
\gexec
CREATE TRIGGER :"keep" BEFORE INSERT OR UPDATE ON :table FOR EACH ROW EXECUTE FUNCTION :"keep"();
COMMIT;
