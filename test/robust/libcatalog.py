"""What the extension has, as the catalogs list it: new things are found as they come."""

_MEMBERS = """JOIN pg_depend d ON d.classid = '%s'::regclass AND d.objid = %s.oid
	JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = x.oid
WHERE d.deptype = 'e' AND x.extname = 'mpk'"""

# name, kind, returns a set, type of the result, types of the arguments, variadic, how many defaults
FUNCTIONS = """
SELECT p.oid::regproc::text, p.prokind::text, p.proretset, p.prorettype::regtype::text,
	ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY u(t, n) ORDER BY n),
	p.provariadic <> 0, p.pronargdefaults
FROM pg_proc p """ + _MEMBERS % ("pg_proc", "p") + """
ORDER BY 1, p.oid::regprocedure::text"""

# operator, left type, right type, type of the result
OPERATORS = """
SELECT o.oprname, coalesce(format_type(nullif(oprleft, 0), NULL), ''),
	format_type(oprright, NULL), oprresult::regtype::text
FROM pg_operator o """ + _MEMBERS % ("pg_operator", "o") + """
ORDER BY 1, 2, 3"""

CASTS = """
SELECT castsource::regtype::text, casttarget::regtype::text FROM pg_cast
WHERE 'msgpack'::regtype IN (castsource, casttarget) ORDER BY 1, 2"""


def functions(connection):
    """Those that can be called: of what takes "internal" there is no value, not even NULL."""
    return [row for row in connection.execute(FUNCTIONS).fetchall() if "internal" not in row[4]]


def operators(connection):
    return connection.execute(OPERATORS).fetchall()


def casts(connection):
    return connection.execute(CASTS).fetchall()
