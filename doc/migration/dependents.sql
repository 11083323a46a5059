-- What depends on a column, and what ALTER COLUMN ... TYPE msgpack makes of it.
--   psql -v table=events -v column=doc -f dependents.sql
WITH place AS (
	SELECT attrelid, attnum FROM pg_attribute
	 WHERE attrelid = :'table'::regclass AND attname = :'column' AND NOT attisdropped
), dependent AS (
	SELECT DISTINCT d.classid, d.objid,
		   -- the default of another column is that column's being generated
		   d.classid = 'pg_attrdef'::regclass AND d.deptype = 'a' AS own_default
	  FROM pg_depend d JOIN place p
		ON d.refclassid = 'pg_class'::regclass AND d.refobjid = p.attrelid AND d.refobjsubid = p.attnum
	-- an index that belongs to a constraint goes with it
	 WHERE NOT EXISTS (SELECT FROM pg_constraint c WHERE d.classid = 'pg_class'::regclass AND c.conindid = d.objid)
)
SELECT pg_describe_object(classid, objid, 0) AS dependent,
	   CASE classid
	   WHEN 'pg_class'::regclass THEN pg_get_indexdef(objid)
	   WHEN 'pg_constraint'::regclass THEN pg_get_constraintdef(objid)
	   WHEN 'pg_attrdef'::regclass THEN
		   (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE oid = objid)
	   WHEN 'pg_rewrite'::regclass THEN
		   (SELECT pg_get_viewdef(ev_class) FROM pg_rewrite WHERE oid = objid)
	   WHEN 'pg_trigger'::regclass THEN pg_get_triggerdef(objid)
	   WHEN 'pg_policy'::regclass THEN
		   (SELECT concat_ws(' / ', pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
			  FROM pg_policy WHERE oid = objid)
	   WHEN 'pg_statistic_ext'::regclass THEN pg_get_statisticsobjdef(objid)
	   WHEN 'pg_proc'::regclass THEN pg_get_functiondef(objid)
	   END AS definition,
	   CASE
	   WHEN classid = 'pg_attrdef'::regclass AND own_default THEN
		   'cast to msgpack: set it anew, as msgpack'
	   WHEN classid IN ('pg_class'::regclass, 'pg_constraint'::regclass, 'pg_statistic_ext'::regclass) THEN
		   'made anew from its definition: refused where that names jsonb functions or operator classes'
	   ELSE 'refused: drop it before, and create it after'
	   END AS at_alter
  FROM dependent
 ORDER BY 3, 1;
