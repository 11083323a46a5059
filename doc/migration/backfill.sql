-- Converts the rows that were there before the trigger, some blocks and one transaction at a time, and
-- says how far it is.  It may be stopped and started again; vacuum keeps pace between batches.
--   psql -v table=events -v column=doc -v blocks=1000 -f backfill.sql
\set ON_ERROR_STOP on
SELECT :'column' || '_new' AS new_column
\gset
SELECT format($procedure$
CREATE OR REPLACE PROCEDURE pg_temp.backfill(per_batch bigint) LANGUAGE plpgsql AS $body$
DECLARE
	block bigint := 0;
	-- rows beyond this were written after the trigger was there
	total bigint := pg_relation_size(%1$L::regclass) / current_setting('block_size')::bigint;
	converted bigint;
	all_rows bigint := 0;
BEGIN
	WHILE block < total LOOP
		-- the trigger does the conversion
		UPDATE %1$s SET %2$I = %2$I
		 WHERE ctid >= format('(%%s,0)', block)::tid AND ctid < format('(%%s,0)', least(block + per_batch, total))::tid
		   AND %3$I IS NULL AND %2$I IS NOT NULL;
		GET DIAGNOSTICS converted = ROW_COUNT;
		COMMIT;
		all_rows := all_rows + converted;
		block := block + per_batch;
		RAISE NOTICE '%% of %% blocks, %% rows', least(block, total), total, all_rows;
	END LOOP;
END
$body$
$procedure$, :'table', :'column', :'new_column')
\gexec
CALL pg_temp.backfill(:blocks);
SELECT format('SELECT count(*) AS rows_left FROM %s WHERE %I IS NULL AND %I IS NOT NULL',
	:'table', :'new_column', :'column')
\gexec
