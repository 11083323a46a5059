/* mpk--1.0.sql */

\echo Use "CREATE EXTENSION mpk" to load this file. \quit

--
-- The type
--

CREATE TYPE msgpack;
COMMENT ON TYPE msgpack IS 'a MessagePack value, kept as the bytes that were sent';

CREATE FUNCTION msgpack_in(cstring) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_in(cstring) IS 'I/O';

CREATE FUNCTION msgpack_out(msgpack) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_out(msgpack) IS 'I/O';

CREATE FUNCTION msgpack_recv(internal) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_recv(internal) IS 'I/O';

CREATE FUNCTION msgpack_send(msgpack) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_send(msgpack) IS 'I/O';

CREATE FUNCTION msgpack_subscript_handler(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_subscript_handler(internal) IS 'msgpack subscripting logic';

CREATE TYPE msgpack (
	INPUT = msgpack_in,
	OUTPUT = msgpack_out,
	RECEIVE = msgpack_recv,
	SEND = msgpack_send,
	SUBSCRIPT = msgpack_subscript_handler,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = extended
);

--
-- bytea: the encoded document
--

CREATE FUNCTION msgpack(bytea) RETURNS msgpack
	AS 'MODULE_PATHNAME', 'msgpack_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack(bytea) IS 'check MessagePack bytes and take them as they are';

CREATE FUNCTION bytea(msgpack) RETURNS bytea
	AS 'MODULE_PATHNAME', 'msgpack_to_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bytea(msgpack) IS 'the MessagePack bytes';

CREATE CAST (bytea AS msgpack) WITH FUNCTION msgpack(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS msgpack) IS 'check MessagePack bytes and take them as they are';

CREATE CAST (msgpack AS bytea) WITH FUNCTION bytea(msgpack) AS ASSIGNMENT;
COMMENT ON CAST (msgpack AS bytea) IS 'the MessagePack bytes';

--
-- Checking and repairing
--

CREATE FUNCTION msgpack_check(doc msgpack) RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION msgpack_check(msgpack) IS
	'NULL, or the first repeated key or string that is not UTF-8, with its place';

CREATE FUNCTION msgpack_check(bytes bytea) RETURNS text
	AS 'MODULE_PATHNAME', 'msgpack_check_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION msgpack_check(bytea) IS
	'NULL, or what keeps the bytes from being a regular MessagePack value, with its place';

CREATE FUNCTION msgpack_storage(doc msgpack, OUT form text, OUT repeated_keys boolean,
								OUT invalid_utf8 boolean, OUT header_bytes int4,
								OUT index_bytes int4, OUT payload_bytes int4,
								OUT containers int4)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION msgpack_storage(msgpack)
	IS 'how a value is stored: its form, flags, bytes, and containers that the offset index covers';

CREATE FUNCTION msgpack_regular(doc msgpack, duplicate_key text DEFAULT 'last',
		invalid_utf8 text DEFAULT 'binary') RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION msgpack_regular(msgpack, text, text) IS
	'one of equal keys kept (last, first or error), other strings than UTF-8 made binary (binary, replace or error)';

CREATE FUNCTION msgpack_canonical(doc msgpack) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION msgpack_canonical(msgpack) IS 'the same bytes for equal values';

CREATE FUNCTION msgpack_is_canonical(doc msgpack) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION msgpack_is_canonical(msgpack) IS 'does msgpack_canonical give these bytes?';

CREATE FUNCTION msgpack_typeof(doc msgpack) RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_typeof(msgpack) IS
	'nil, boolean, integer, float, string, binary, timestamp, extension, array or map';

CREATE FUNCTION msgpack_size(doc msgpack) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_size(msgpack) IS 'MessagePack bytes, without compression or header';

CREATE DOMAIN msgpack_strict AS msgpack
	CONSTRAINT msgpack_strict_check CHECK (msgpack_check(VALUE) IS NULL);
COMMENT ON DOMAIN msgpack_strict IS 'MessagePack without repeated keys, and UTF-8 throughout';

--
-- Equality, order and hash
--

CREATE FUNCTION msgpack_eq(msgpack, msgpack) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_eq(msgpack, msgpack) IS 'implementation of = operator';

CREATE FUNCTION msgpack_ne(msgpack, msgpack) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_ne(msgpack, msgpack) IS 'implementation of <> operator';

CREATE FUNCTION msgpack_lt(msgpack, msgpack) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_lt(msgpack, msgpack) IS 'implementation of < operator';

CREATE FUNCTION msgpack_le(msgpack, msgpack) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_le(msgpack, msgpack) IS 'implementation of <= operator';

CREATE FUNCTION msgpack_gt(msgpack, msgpack) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_gt(msgpack, msgpack) IS 'implementation of > operator';

CREATE FUNCTION msgpack_ge(msgpack, msgpack) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_ge(msgpack, msgpack) IS 'implementation of >= operator';

CREATE OPERATOR = (
	LEFTARG = msgpack,
	RIGHTARG = msgpack,
	FUNCTION = msgpack_eq,
	COMMUTATOR = =,
	NEGATOR = <>,
	RESTRICT = eqsel,
	JOIN = eqjoinsel,
	HASHES,
	MERGES
);
COMMENT ON OPERATOR = (msgpack, msgpack) IS 'equal, by meaning';

CREATE OPERATOR <> (
	LEFTARG = msgpack,
	RIGHTARG = msgpack,
	FUNCTION = msgpack_ne,
	COMMUTATOR = <>,
	NEGATOR = =,
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (msgpack, msgpack) IS 'not equal, by meaning';

CREATE OPERATOR < (
	LEFTARG = msgpack,
	RIGHTARG = msgpack,
	FUNCTION = msgpack_lt,
	COMMUTATOR = >,
	NEGATOR = >=,
	RESTRICT = scalarltsel,
	JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (msgpack, msgpack) IS 'less than, by meaning';

CREATE OPERATOR <= (
	LEFTARG = msgpack,
	RIGHTARG = msgpack,
	FUNCTION = msgpack_le,
	COMMUTATOR = >=,
	NEGATOR = >,
	RESTRICT = scalarlesel,
	JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (msgpack, msgpack) IS 'less than or equal, by meaning';

CREATE OPERATOR > (
	LEFTARG = msgpack,
	RIGHTARG = msgpack,
	FUNCTION = msgpack_gt,
	COMMUTATOR = <,
	NEGATOR = <=,
	RESTRICT = scalargtsel,
	JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (msgpack, msgpack) IS 'greater than, by meaning';

CREATE OPERATOR >= (
	LEFTARG = msgpack,
	RIGHTARG = msgpack,
	FUNCTION = msgpack_ge,
	COMMUTATOR = <=,
	NEGATOR = <,
	RESTRICT = scalargesel,
	JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (msgpack, msgpack) IS 'greater than or equal, by meaning';

CREATE FUNCTION msgpack_cmp(msgpack, msgpack) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_cmp(msgpack, msgpack) IS 'less-equal-greater';

CREATE FUNCTION msgpack_sortsupport(internal) RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_sortsupport(internal) IS 'sort support';

CREATE FUNCTION msgpack_hash(msgpack) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_hash(msgpack) IS 'hash';

CREATE FUNCTION msgpack_hash_extended(msgpack, int8) RETURNS int8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_hash_extended(msgpack, int8) IS 'hash';

-- No equalimage function: 1 and 1.0 are equal and not the same bytes.
CREATE OPERATOR CLASS msgpack_ops
	DEFAULT FOR TYPE msgpack USING btree AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 msgpack_cmp(msgpack, msgpack),
	FUNCTION 2 msgpack_sortsupport(internal);
COMMENT ON OPERATOR CLASS msgpack_ops USING btree IS 'order by meaning';
COMMENT ON OPERATOR FAMILY msgpack_ops USING btree IS 'order by meaning';

CREATE OPERATOR CLASS msgpack_ops
	DEFAULT FOR TYPE msgpack USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 msgpack_hash(msgpack),
	FUNCTION 2 msgpack_hash_extended(msgpack, int8);
COMMENT ON OPERATOR CLASS msgpack_ops USING hash IS 'equality by meaning';
COMMENT ON OPERATOR FAMILY msgpack_ops USING hash IS 'equality by meaning';

CREATE FUNCTION msgpack_larger(msgpack, msgpack) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_larger(msgpack, msgpack) IS 'larger of two';

CREATE FUNCTION msgpack_smaller(msgpack, msgpack) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_smaller(msgpack, msgpack) IS 'smaller of two';

CREATE AGGREGATE max(msgpack) (
	SFUNC = msgpack_larger,
	STYPE = msgpack,
	COMBINEFUNC = msgpack_larger,
	SORTOP = >,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(msgpack) IS 'maximum value of all msgpack input values';

CREATE AGGREGATE min(msgpack) (
	SFUNC = msgpack_smaller,
	STYPE = msgpack,
	COMBINEFUNC = msgpack_smaller,
	SORTOP = <,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(msgpack) IS 'minimum value of all msgpack input values';

--
-- Calls that use an index as their operators do: planner support
--

CREATE FUNCTION msgpack_contains_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_contains_support(internal) IS
	'planner support: a call uses the index of operator @>';

CREATE FUNCTION msgpack_exists_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_exists_support(internal) IS
	'planner support: a call uses the index of operator ?';

CREATE FUNCTION msgpack_exists_any_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_exists_any_support(internal) IS
	'planner support: a call uses the index of operator ?|';

CREATE FUNCTION msgpack_exists_all_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_exists_all_support(internal) IS
	'planner support: a call uses the index of operator ?&';

CREATE FUNCTION msgpack_path_exists_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_path_exists_support(internal) IS
	'planner support: a call uses the index of operator @?';

CREATE FUNCTION msgpack_path_match_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_path_match_support(internal) IS
	'planner support: a call uses the index of operator @@';

--
-- Containment and existence
--

CREATE FUNCTION msgpack_contains(msgpack, msgpack) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT msgpack_contains_support COST 4;
COMMENT ON FUNCTION msgpack_contains(msgpack, msgpack) IS 'implementation of @> operator';

CREATE FUNCTION msgpack_contained(msgpack, msgpack) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 4;
COMMENT ON FUNCTION msgpack_contained(msgpack, msgpack) IS 'implementation of <@ operator';

CREATE FUNCTION msgpack_exists(msgpack, text) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT msgpack_exists_support COST 4;
COMMENT ON FUNCTION msgpack_exists(msgpack, text) IS 'implementation of ? operator';

CREATE FUNCTION msgpack_exists_any(msgpack, text[]) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT msgpack_exists_any_support COST 4;
COMMENT ON FUNCTION msgpack_exists_any(msgpack, text[]) IS 'implementation of ?| operator';

CREATE FUNCTION msgpack_exists_all(msgpack, text[]) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT msgpack_exists_all_support COST 4;
COMMENT ON FUNCTION msgpack_exists_all(msgpack, text[]) IS 'implementation of ?& operator';

CREATE OPERATOR @> (
	LEFTARG = msgpack,
	RIGHTARG = msgpack,
	FUNCTION = msgpack_contains,
	COMMUTATOR = <@,
	RESTRICT = matchingsel,
	JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @> (msgpack, msgpack) IS 'contains';

CREATE OPERATOR <@ (
	LEFTARG = msgpack,
	RIGHTARG = msgpack,
	FUNCTION = msgpack_contained,
	COMMUTATOR = @>,
	RESTRICT = matchingsel,
	JOIN = matchingjoinsel
);
COMMENT ON OPERATOR <@ (msgpack, msgpack) IS 'is contained by';

CREATE OPERATOR ? (
	LEFTARG = msgpack,
	RIGHTARG = text,
	FUNCTION = msgpack_exists,
	RESTRICT = matchingsel,
	JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ? (msgpack, text) IS 'key exists';

CREATE OPERATOR ?| (
	LEFTARG = msgpack,
	RIGHTARG = text[],
	FUNCTION = msgpack_exists_any,
	RESTRICT = matchingsel,
	JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ?| (msgpack, text[]) IS 'any key exists';

CREATE OPERATOR ?& (
	LEFTARG = msgpack,
	RIGHTARG = text[],
	FUNCTION = msgpack_exists_all,
	RESTRICT = matchingsel,
	JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ?& (msgpack, text[]) IS 'all keys exist';

--
-- jsonpath: the server's own type and language
--

CREATE FUNCTION msgpack_path_exists(target msgpack, path jsonpath, vars msgpack DEFAULT '{}',
	silent boolean DEFAULT false)
	RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT msgpack_path_exists_support COST 10;
COMMENT ON FUNCTION msgpack_path_exists(msgpack, jsonpath, msgpack, boolean) IS
	'does the path find any item?';

CREATE FUNCTION msgpack_path_exists_tz(target msgpack, path jsonpath, vars msgpack DEFAULT '{}',
	silent boolean DEFAULT false)
	RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_path_exists_tz(msgpack, jsonpath, msgpack, boolean) IS
	'does the path find any item?, with time zone';

CREATE FUNCTION msgpack_path_match(target msgpack, path jsonpath, vars msgpack DEFAULT '{}',
	silent boolean DEFAULT false)
	RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT msgpack_path_match_support COST 10;
COMMENT ON FUNCTION msgpack_path_match(msgpack, jsonpath, msgpack, boolean) IS
	'the one boolean that the path gives';

CREATE FUNCTION msgpack_path_match_tz(target msgpack, path jsonpath, vars msgpack DEFAULT '{}',
	silent boolean DEFAULT false)
	RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_path_match_tz(msgpack, jsonpath, msgpack, boolean) IS
	'the one boolean that the path gives, with time zone';

CREATE FUNCTION msgpack_path_query(target msgpack, path jsonpath, vars msgpack DEFAULT '{}',
	silent boolean DEFAULT false)
	RETURNS SETOF msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	ROWS 100;
COMMENT ON FUNCTION msgpack_path_query(msgpack, jsonpath, msgpack, boolean) IS
	'all items that the path finds';

CREATE FUNCTION msgpack_path_query_tz(target msgpack, path jsonpath, vars msgpack DEFAULT '{}',
	silent boolean DEFAULT false)
	RETURNS SETOF msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE
	ROWS 100;
COMMENT ON FUNCTION msgpack_path_query_tz(msgpack, jsonpath, msgpack, boolean) IS
	'all items that the path finds, with time zone';

CREATE FUNCTION msgpack_path_query_array(target msgpack, path jsonpath, vars msgpack DEFAULT '{}',
	silent boolean DEFAULT false)
	RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION msgpack_path_query_array(msgpack, jsonpath, msgpack, boolean) IS
	'all items that the path finds, as an array';

CREATE FUNCTION msgpack_path_query_array_tz(target msgpack, path jsonpath, vars msgpack DEFAULT '{}',
	silent boolean DEFAULT false)
	RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_path_query_array_tz(msgpack, jsonpath, msgpack, boolean) IS
	'all items that the path finds, as an array, with time zone';

CREATE FUNCTION msgpack_path_query_first(target msgpack, path jsonpath, vars msgpack DEFAULT '{}',
	silent boolean DEFAULT false)
	RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION msgpack_path_query_first(msgpack, jsonpath, msgpack, boolean) IS
	'the first item that the path finds';

CREATE FUNCTION msgpack_path_query_first_tz(target msgpack, path jsonpath, vars msgpack DEFAULT '{}',
	silent boolean DEFAULT false)
	RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_path_query_first_tz(msgpack, jsonpath, msgpack, boolean) IS
	'the first item that the path finds, with time zone';

CREATE FUNCTION msgpack_path_exists_opr(msgpack, jsonpath) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT msgpack_path_exists_support COST 10;
COMMENT ON FUNCTION msgpack_path_exists_opr(msgpack, jsonpath) IS
	'implementation of @? operator';

CREATE FUNCTION msgpack_path_match_opr(msgpack, jsonpath) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT msgpack_path_match_support COST 10;
COMMENT ON FUNCTION msgpack_path_match_opr(msgpack, jsonpath) IS
	'implementation of @@ operator';

CREATE OPERATOR @? (
	LEFTARG = msgpack,
	RIGHTARG = jsonpath,
	FUNCTION = msgpack_path_exists_opr,
	RESTRICT = matchingsel,
	JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @? (msgpack, jsonpath) IS 'jsonpath exists';

CREATE OPERATOR @@ (
	LEFTARG = msgpack,
	RIGHTARG = jsonpath,
	FUNCTION = msgpack_path_match_opr,
	RESTRICT = matchingsel,
	JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @@ (msgpack, jsonpath) IS 'jsonpath match';

--
-- GIN: terms are hashes of 64 bits, and every match is checked again.
--

CREATE FUNCTION gin_extract_msgpack(msgpack, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_extract_msgpack(msgpack, internal) IS 'GIN support';

CREATE FUNCTION gin_extract_msgpack_query(msgpack, internal, smallint, internal, internal,
	internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_extract_msgpack_query(msgpack, internal, smallint, internal, internal,
	internal, internal) IS 'GIN support';

CREATE FUNCTION gin_extract_msgpack_path(msgpack, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_extract_msgpack_path(msgpack, internal) IS 'GIN support';

CREATE FUNCTION gin_extract_msgpack_query_path(msgpack, internal, smallint, internal, internal,
	internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_extract_msgpack_query_path(msgpack, internal, smallint, internal,
	internal, internal, internal) IS 'GIN support';

CREATE FUNCTION gin_triconsistent_msgpack(internal, smallint, msgpack, integer, internal,
	internal, internal) RETURNS "char"
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_triconsistent_msgpack(internal, smallint, msgpack, integer, internal,
	internal, internal) IS 'GIN support';

CREATE OPERATOR CLASS msgpack_ops
	DEFAULT FOR TYPE msgpack USING gin AS
	OPERATOR 7 @>,
	OPERATOR 9 ? (msgpack, text),
	OPERATOR 10 ?| (msgpack, text[]),
	OPERATOR 11 ?& (msgpack, text[]),
	OPERATOR 15 @? (msgpack, jsonpath),
	OPERATOR 16 @@ (msgpack, jsonpath),
	FUNCTION 1 btint8cmp(int8, int8),
	FUNCTION 2 gin_extract_msgpack(msgpack, internal),
	FUNCTION 3 gin_extract_msgpack_query(msgpack, internal, smallint, internal, internal,
		internal, internal),
	FUNCTION 6 gin_triconsistent_msgpack(internal, smallint, msgpack, integer, internal,
		internal, internal),
	STORAGE int8;
COMMENT ON OPERATOR CLASS msgpack_ops USING gin IS 'keys and values';
COMMENT ON OPERATOR FAMILY msgpack_ops USING gin IS 'keys and values';

CREATE OPERATOR CLASS msgpack_path_ops
	FOR TYPE msgpack USING gin AS
	OPERATOR 7 @>,
	OPERATOR 15 @? (msgpack, jsonpath),
	OPERATOR 16 @@ (msgpack, jsonpath),
	FUNCTION 1 btint8cmp(int8, int8),
	FUNCTION 2 gin_extract_msgpack_path(msgpack, internal),
	FUNCTION 3 gin_extract_msgpack_query_path(msgpack, internal, smallint, internal, internal,
		internal, internal),
	FUNCTION 6 gin_triconsistent_msgpack(internal, smallint, msgpack, integer, internal,
		internal, internal),
	STORAGE int8;
COMMENT ON OPERATOR CLASS msgpack_path_ops USING gin IS 'values with the keys that lead to them';
COMMENT ON OPERATOR FAMILY msgpack_path_ops USING gin IS 'values with the keys that lead to them';

--
-- Text for reading
--

CREATE FUNCTION msgpack_text(msgpack) RETURNS text
	AS 'MODULE_PATHNAME', 'msgpack_to_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_text(msgpack) IS 'the text form without width marks, for reading';

CREATE FUNCTION msgpack_pretty(msgpack) RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_pretty(msgpack) IS 'the text form without width marks, indented, for reading';

--
-- jsonb and json
--

CREATE FUNCTION msgpack(jsonb) RETURNS msgpack
	AS 'MODULE_PATHNAME', 'msgpack_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack(jsonb) IS 'convert jsonb exactly, or raise an error';

CREATE FUNCTION jsonb(msgpack) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'msgpack_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION jsonb(msgpack) IS 'convert to jsonb; what JSON has not becomes strings';

CREATE CAST (jsonb AS msgpack) WITH FUNCTION msgpack(jsonb) AS IMPLICIT;
COMMENT ON CAST (jsonb AS msgpack) IS 'convert jsonb exactly, or raise an error';

CREATE CAST (msgpack AS jsonb) WITH FUNCTION jsonb(msgpack) AS ASSIGNMENT;
COMMENT ON CAST (msgpack AS jsonb) IS 'convert to jsonb; what JSON has not becomes strings';

CREATE FUNCTION jsonb_to_msgpack(doc jsonb, numbers text DEFAULT 'exact') RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION jsonb_to_msgpack(jsonb, text)
	IS 'convert jsonb; numbers that msgpack has not raise an error (exact), are rounded (round) or become strings (string)';

CREATE FUNCTION msgpack_to_jsonb(doc msgpack, exact boolean DEFAULT false,
		nul text DEFAULT 'error', "binary" text DEFAULT 'hex', key_clash text DEFAULT 'error')
	RETURNS jsonb
	AS 'MODULE_PATHNAME', 'msgpack_to_jsonb_with' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_to_jsonb(msgpack, boolean, text, text, text)
	IS 'convert to jsonb, with a say in what happens to values that JSON has not';

CREATE FUNCTION msgpack(json) RETURNS msgpack
	AS 'MODULE_PATHNAME', 'msgpack_from_json' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack(json) IS 'convert json as text input does, in document order';

CREATE FUNCTION "json"(msgpack) RETURNS json
	AS 'MODULE_PATHNAME', 'msgpack_to_json' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION "json"(msgpack) IS 'convert to json in document order; what JSON has not becomes strings';

CREATE CAST (json AS msgpack) WITH FUNCTION msgpack(json) AS ASSIGNMENT;
COMMENT ON CAST (json AS msgpack) IS 'convert json as text input does, in document order';

-- by function, so that to_json, row_to_json and json_agg embed the document
CREATE CAST (msgpack AS json) WITH FUNCTION "json"(msgpack) AS ASSIGNMENT;
COMMENT ON CAST (msgpack AS json) IS 'convert to json in document order; what JSON has not becomes strings';

CREATE FUNCTION jsonb_msgpack_check(jsonb) RETURNS text[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION jsonb_msgpack_check(jsonb)
	IS 'path of the first value that cannot be cast to msgpack, NULL if all can';

--
-- Access
--
-- COST, in operations like int4eq: what the function takes of a document of some
-- ten keys in memory, so that a condition on another column is looked at first.
--

CREATE FUNCTION msgpack_object_field(from_json msgpack, field_name text) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_object_field(msgpack, text) IS 'implementation of -> operator';

CREATE FUNCTION msgpack_object_field_text(from_json msgpack, field_name text) RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_object_field_text(msgpack, text) IS 'implementation of ->> operator';

CREATE FUNCTION msgpack_array_element(from_json msgpack, element_index int8) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_array_element(msgpack, int8) IS 'implementation of -> operator';

CREATE FUNCTION msgpack_array_element_text(from_json msgpack, element_index int8) RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_array_element_text(msgpack, int8) IS 'implementation of ->> operator';

CREATE FUNCTION msgpack_extract_path(from_json msgpack, VARIADIC path_elems text[]) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_extract_path(msgpack, text[]) IS 'get value from msgpack with path elements';

CREATE FUNCTION msgpack_extract_path_text(from_json msgpack, VARIADIC path_elems text[]) RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_extract_path_text(msgpack, text[])
	IS 'get value from msgpack as text with path elements';

CREATE OPERATOR -> (
	LEFTARG = msgpack, RIGHTARG = text, FUNCTION = msgpack_object_field
);
COMMENT ON OPERATOR -> (msgpack, text) IS 'get the value of a map''s key';

CREATE OPERATOR ->> (
	LEFTARG = msgpack, RIGHTARG = text, FUNCTION = msgpack_object_field_text
);
COMMENT ON OPERATOR ->> (msgpack, text) IS 'get the value of a map''s key as text';

CREATE OPERATOR -> (
	LEFTARG = msgpack, RIGHTARG = int8, FUNCTION = msgpack_array_element
);
COMMENT ON OPERATOR -> (msgpack, int8) IS 'get an array''s element, or the value of a map''s number key';

CREATE OPERATOR ->> (
	LEFTARG = msgpack, RIGHTARG = int8, FUNCTION = msgpack_array_element_text
);
COMMENT ON OPERATOR ->> (msgpack, int8)
	IS 'get an array''s element, or the value of a map''s number key, as text';

CREATE OPERATOR #> (
	LEFTARG = msgpack, RIGHTARG = text[], FUNCTION = msgpack_extract_path
);
COMMENT ON OPERATOR #> (msgpack, text[]) IS 'get value from msgpack with path elements';

CREATE OPERATOR #>> (
	LEFTARG = msgpack, RIGHTARG = text[], FUNCTION = msgpack_extract_path_text
);
COMMENT ON OPERATOR #>> (msgpack, text[]) IS 'get value from msgpack as text with path elements';

CREATE FUNCTION msgpack_get(doc msgpack, key msgpack) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_get(msgpack, msgpack) IS 'get the value of a key of any type';

CREATE FUNCTION msgpack_has(doc msgpack, key msgpack) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_has(msgpack, msgpack) IS 'is there a value of this key, of any type?';

CREATE FUNCTION msgpack_array_length(msgpack) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_array_length(msgpack) IS 'number of an array''s elements';

--
-- Constructors
--

CREATE FUNCTION to_msgpack(anyelement) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION to_msgpack(anyelement) IS 'convert any value to msgpack';

CREATE FUNCTION row_to_msgpack(record) RETURNS msgpack
	AS 'MODULE_PATHNAME', 'to_msgpack' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION row_to_msgpack(record) IS 'convert a row to a map';

CREATE FUNCTION msgpack_build_array() RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_build_array() IS 'build an empty array';

CREATE FUNCTION msgpack_build_array(VARIADIC "any") RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_build_array("any") IS 'build an array of any values';

CREATE FUNCTION msgpack_build_object() RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_build_object() IS 'build an empty map';

CREATE FUNCTION msgpack_build_object(VARIADIC "any") RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_build_object("any")
	IS 'build a map from alternating keys and values; keys become strings';

CREATE FUNCTION msgpack_build_map() RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_build_map() IS 'build an empty map';

CREATE FUNCTION msgpack_build_map(VARIADIC "any") RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_build_map("any")
	IS 'build a map from alternating keys and values; keys keep their type';

CREATE FUNCTION msgpack_object(text[]) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_object(text[]) IS 'map an array of keys and values';

CREATE FUNCTION msgpack_object(text[], text[]) RETURNS msgpack
	AS 'MODULE_PATHNAME', 'msgpack_object_two_arg' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_object(text[], text[]) IS 'map an array of keys to an array of values';

--
-- Aggregates
--

CREATE FUNCTION msgpack_agg_transfn(internal, anyelement) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_agg_transfn(internal, anyelement) IS 'aggregate transition function';

CREATE FUNCTION msgpack_agg_strict_transfn(internal, anyelement) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_agg_strict_transfn(internal, anyelement)
	IS 'aggregate transition function';

CREATE FUNCTION msgpack_agg_combinefn(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_agg_combinefn(internal, internal) IS 'aggregate combine function';

CREATE FUNCTION msgpack_agg_serialfn(internal) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_agg_serialfn(internal) IS 'aggregate serial function';

CREATE FUNCTION msgpack_agg_deserialfn(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_agg_deserialfn(bytea, internal) IS 'aggregate deserial function';

CREATE FUNCTION msgpack_agg_finalfn(internal) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_agg_finalfn(internal) IS 'aggregate final function';

CREATE AGGREGATE msgpack_agg(anyelement) (
	SFUNC = msgpack_agg_transfn,
	STYPE = internal,
	FINALFUNC = msgpack_agg_finalfn,
	COMBINEFUNC = msgpack_agg_combinefn,
	SERIALFUNC = msgpack_agg_serialfn,
	DESERIALFUNC = msgpack_agg_deserialfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE msgpack_agg(anyelement) IS 'aggregate input into an array';

CREATE AGGREGATE msgpack_agg_strict(anyelement) (
	SFUNC = msgpack_agg_strict_transfn,
	STYPE = internal,
	FINALFUNC = msgpack_agg_finalfn,
	COMBINEFUNC = msgpack_agg_combinefn,
	SERIALFUNC = msgpack_agg_serialfn,
	DESERIALFUNC = msgpack_agg_deserialfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE msgpack_agg_strict(anyelement)
	IS 'aggregate input that is not NULL into an array';

CREATE FUNCTION msgpack_object_agg_transfn(internal, "any", "any") RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_object_agg_transfn(internal, "any", "any")
	IS 'aggregate transition function';

CREATE FUNCTION msgpack_object_agg_strict_transfn(internal, "any", "any") RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_object_agg_strict_transfn(internal, "any", "any")
	IS 'aggregate transition function';

CREATE FUNCTION msgpack_object_agg_unique_strict_transfn(internal, "any", "any") RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_object_agg_unique_strict_transfn(internal, "any", "any")
	IS 'aggregate transition function';

CREATE FUNCTION msgpack_object_agg_combinefn(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_object_agg_combinefn(internal, internal)
	IS 'aggregate combine function';

CREATE FUNCTION msgpack_object_agg_deserialfn(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_object_agg_deserialfn(bytea, internal)
	IS 'aggregate deserial function';

CREATE FUNCTION msgpack_object_agg_finalfn(internal) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_object_agg_finalfn(internal) IS 'aggregate final function';

CREATE FUNCTION msgpack_object_agg_unique_finalfn(internal) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_object_agg_unique_finalfn(internal) IS 'aggregate final function';

-- Which of two equal keys comes last is what decides: these two do not combine.

CREATE AGGREGATE msgpack_object_agg(key "any", value "any") (
	SFUNC = msgpack_object_agg_transfn,
	STYPE = internal,
	FINALFUNC = msgpack_object_agg_finalfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE msgpack_object_agg("any", "any")
	IS 'aggregate keys and values into a map; of equal keys the last value counts';

CREATE AGGREGATE msgpack_object_agg_strict(key "any", value "any") (
	SFUNC = msgpack_object_agg_strict_transfn,
	STYPE = internal,
	FINALFUNC = msgpack_object_agg_finalfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE msgpack_object_agg_strict("any", "any")
	IS 'aggregate keys and values that are not NULL into a map; of equal keys the last value counts';

CREATE AGGREGATE msgpack_object_agg_unique(key "any", value "any") (
	SFUNC = msgpack_object_agg_transfn,
	STYPE = internal,
	FINALFUNC = msgpack_object_agg_unique_finalfn,
	COMBINEFUNC = msgpack_object_agg_combinefn,
	SERIALFUNC = msgpack_agg_serialfn,
	DESERIALFUNC = msgpack_object_agg_deserialfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE msgpack_object_agg_unique("any", "any")
	IS 'aggregate keys and values into a map; equal keys are an error';

CREATE AGGREGATE msgpack_object_agg_unique_strict(key "any", value "any") (
	SFUNC = msgpack_object_agg_unique_strict_transfn,
	STYPE = internal,
	FINALFUNC = msgpack_object_agg_unique_finalfn,
	COMBINEFUNC = msgpack_object_agg_combinefn,
	SERIALFUNC = msgpack_agg_serialfn,
	DESERIALFUNC = msgpack_object_agg_deserialfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE msgpack_object_agg_unique_strict("any", "any")
	IS 'aggregate keys and values that are not NULL into a map; equal keys are an error';

CREATE FUNCTION msgpack_stream_agg_transfn(internal, msgpack) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_stream_agg_transfn(internal, msgpack)
	IS 'aggregate transition function';

CREATE FUNCTION msgpack_stream_agg_combinefn(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_stream_agg_combinefn(internal, internal)
	IS 'aggregate combine function';

CREATE FUNCTION msgpack_stream_agg_serialfn(internal) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_stream_agg_serialfn(internal) IS 'aggregate serial function';

CREATE FUNCTION msgpack_stream_agg_deserialfn(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_stream_agg_deserialfn(bytea, internal)
	IS 'aggregate deserial function';

CREATE FUNCTION msgpack_stream_agg_finalfn(internal) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_stream_agg_finalfn(internal) IS 'aggregate final function';

CREATE AGGREGATE msgpack_stream_agg(msgpack) (
	SFUNC = msgpack_stream_agg_transfn,
	STYPE = internal,
	FINALFUNC = msgpack_stream_agg_finalfn,
	COMBINEFUNC = msgpack_stream_agg_combinefn,
	SERIALFUNC = msgpack_stream_agg_serialfn,
	DESERIALFUNC = msgpack_stream_agg_deserialfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE msgpack_stream_agg(msgpack)
	IS 'concatenate documents into a stream of objects';

--
-- Edits
--

CREATE FUNCTION msgpack_set(msgpack_in msgpack, path text[], replacement msgpack,
		create_if_missing boolean DEFAULT true)
	RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_set(msgpack, text[], msgpack, boolean)
	IS 'set part of a document';

CREATE FUNCTION msgpack_set_lax(msgpack_in msgpack, path text[], replacement msgpack,
		create_if_missing boolean DEFAULT true,
		null_value_treatment text DEFAULT 'use_json_null')
	RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_set_lax(msgpack, text[], msgpack, boolean, text)
	IS 'set part of a document, with a say in what a NULL value does';

CREATE FUNCTION msgpack_insert(msgpack_in msgpack, path text[], replacement msgpack,
		insert_after boolean DEFAULT false)
	RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_insert(msgpack, text[], msgpack, boolean)
	IS 'insert a value into a document';

CREATE FUNCTION msgpack_delete_path(msgpack, text[]) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_delete_path(msgpack, text[]) IS 'implementation of #- operator';

CREATE FUNCTION msgpack_delete(msgpack, text) RETURNS msgpack
	AS 'MODULE_PATHNAME', 'msgpack_delete_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_delete(msgpack, text) IS 'implementation of - operator';

CREATE FUNCTION msgpack_delete(msgpack, int8) RETURNS msgpack
	AS 'MODULE_PATHNAME', 'msgpack_delete_number' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_delete(msgpack, int8) IS 'implementation of - operator';

CREATE FUNCTION msgpack_delete(from_json msgpack, VARIADIC path_elems text[]) RETURNS msgpack
	AS 'MODULE_PATHNAME', 'msgpack_delete_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_delete(msgpack, text[]) IS 'implementation of - operator';

CREATE FUNCTION msgpack_delete(doc msgpack, key msgpack) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_delete(msgpack, msgpack) IS 'delete by a key of any type';

CREATE OPERATOR #- (
	LEFTARG = msgpack, RIGHTARG = text[], FUNCTION = msgpack_delete_path
);
COMMENT ON OPERATOR #- (msgpack, text[]) IS 'delete path';

CREATE OPERATOR - (
	LEFTARG = msgpack, RIGHTARG = text, FUNCTION = msgpack_delete
);
COMMENT ON OPERATOR - (msgpack, text) IS 'delete map pair, or strings of an array';

CREATE OPERATOR - (
	LEFTARG = msgpack, RIGHTARG = int8, FUNCTION = msgpack_delete
);
COMMENT ON OPERATOR - (msgpack, int8) IS 'delete array element, or map pair by integer key';

CREATE OPERATOR - (
	LEFTARG = msgpack, RIGHTARG = text[], FUNCTION = msgpack_delete
);
COMMENT ON OPERATOR - (msgpack, text[]) IS 'delete map pairs, or strings of an array';

CREATE FUNCTION msgpack_strip_nulls(target msgpack, strip_in_arrays boolean DEFAULT false)
	RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_strip_nulls(msgpack, boolean)
	IS 'remove map pairs, and if asked array elements, that are nil';

CREATE FUNCTION msgpack_concat(msgpack, msgpack) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_concat(msgpack, msgpack) IS 'implementation of || operator';

CREATE OPERATOR || (
	LEFTARG = msgpack, RIGHTARG = msgpack, FUNCTION = msgpack_concat
);
COMMENT ON OPERATOR || (msgpack, msgpack) IS 'concatenate';

CREATE FUNCTION msgpack_merge(target msgpack, patch msgpack) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_merge(msgpack, msgpack)
	IS 'merge a patch into a document, in depth: nil deletes (RFC 7396)';

CREATE FUNCTION msgpack_merge_agg_transfn(internal, msgpack) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_merge_agg_transfn(internal, msgpack)
	IS 'aggregate transition function';

CREATE FUNCTION msgpack_merge_agg_finalfn(internal) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_merge_agg_finalfn(internal) IS 'aggregate final function';

-- What is merged last decides: this does not combine.

CREATE AGGREGATE msgpack_merge_agg(msgpack) (
	SFUNC = msgpack_merge_agg_transfn,
	STYPE = internal,
	FINALFUNC = msgpack_merge_agg_finalfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE msgpack_merge_agg(msgpack)
	IS 'merge each document into those before it (RFC 7396)';

--
-- Casts to SQL types: nil is NULL
--

CREATE FUNCTION bool(msgpack) RETURNS bool
	AS 'MODULE_PATHNAME', 'msgpack_to_bool' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bool(msgpack) IS 'a boolean';
CREATE CAST (msgpack AS bool) WITH FUNCTION bool(msgpack);
COMMENT ON CAST (msgpack AS bool) IS 'a boolean';

CREATE FUNCTION int2(msgpack) RETURNS int2
	AS 'MODULE_PATHNAME', 'msgpack_to_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int2(msgpack) IS 'a number, rounded half away from zero';
CREATE CAST (msgpack AS int2) WITH FUNCTION int2(msgpack);
COMMENT ON CAST (msgpack AS int2) IS 'a number, rounded half away from zero';

CREATE FUNCTION int4(msgpack) RETURNS int4
	AS 'MODULE_PATHNAME', 'msgpack_to_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int4(msgpack) IS 'a number, rounded half away from zero';
CREATE CAST (msgpack AS int4) WITH FUNCTION int4(msgpack);
COMMENT ON CAST (msgpack AS int4) IS 'a number, rounded half away from zero';

CREATE FUNCTION int8(msgpack) RETURNS int8
	AS 'MODULE_PATHNAME', 'msgpack_to_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int8(msgpack) IS 'a number, rounded half away from zero';
CREATE CAST (msgpack AS int8) WITH FUNCTION int8(msgpack);
COMMENT ON CAST (msgpack AS int8) IS 'a number, rounded half away from zero';

CREATE FUNCTION float4(msgpack) RETURNS float4
	AS 'MODULE_PATHNAME', 'msgpack_to_float4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION float4(msgpack) IS 'a number, to the nearest real';
CREATE CAST (msgpack AS float4) WITH FUNCTION float4(msgpack);
COMMENT ON CAST (msgpack AS float4) IS 'a number, to the nearest real';

CREATE FUNCTION float8(msgpack) RETURNS float8
	AS 'MODULE_PATHNAME', 'msgpack_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION float8(msgpack) IS 'a number, to the nearest double precision';
CREATE CAST (msgpack AS float8) WITH FUNCTION float8(msgpack);
COMMENT ON CAST (msgpack AS float8) IS 'a number, to the nearest double precision';

CREATE FUNCTION "numeric"(msgpack) RETURNS numeric
	AS 'MODULE_PATHNAME', 'msgpack_to_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION "numeric"(msgpack) IS 'a number, a float by its shortest digits';
CREATE CAST (msgpack AS numeric) WITH FUNCTION "numeric"(msgpack);
COMMENT ON CAST (msgpack AS numeric) IS 'a number, a float by its shortest digits';

CREATE FUNCTION timestamptz(msgpack) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'msgpack_to_timestamptz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION timestamptz(msgpack) IS 'a timestamp, to the nearest microsecond';
CREATE CAST (msgpack AS timestamptz) WITH FUNCTION timestamptz(msgpack);
COMMENT ON CAST (msgpack AS timestamptz) IS 'a timestamp, to the nearest microsecond';

--
-- Typed reads: NULL for what is missing or of another type
--

CREATE FUNCTION msgpack_boolean(doc msgpack, VARIADIC path text[]) RETURNS boolean
	AS 'MODULE_PATHNAME', 'msgpack_get_boolean' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_boolean(msgpack, text[])
	IS 'a boolean at a path, NULL when it is missing or of another type';

CREATE FUNCTION msgpack_int8(doc msgpack, VARIADIC path text[]) RETURNS int8
	AS 'MODULE_PATHNAME', 'msgpack_get_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_int8(msgpack, text[])
	IS 'a number, rounded half away from zero at a path, NULL when it is missing or of another type';

CREATE FUNCTION msgpack_float8(doc msgpack, VARIADIC path text[]) RETURNS float8
	AS 'MODULE_PATHNAME', 'msgpack_get_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_float8(msgpack, text[])
	IS 'a number, to the nearest double precision at a path, NULL when it is missing or of another type';

CREATE FUNCTION msgpack_numeric(doc msgpack, VARIADIC path text[]) RETURNS numeric
	AS 'MODULE_PATHNAME', 'msgpack_get_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_numeric(msgpack, text[])
	IS 'a number, a float by its shortest digits at a path, NULL when it is missing or of another type';

CREATE FUNCTION msgpack_text(doc msgpack, VARIADIC path text[]) RETURNS text
	AS 'MODULE_PATHNAME', 'msgpack_get_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_text(msgpack, text[])
	IS 'a str at a path, NULL when it is missing or of another type';

CREATE FUNCTION msgpack_bytea(doc msgpack, VARIADIC path text[]) RETURNS bytea
	AS 'MODULE_PATHNAME', 'msgpack_get_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_bytea(msgpack, text[])
	IS 'a bin at a path, NULL when it is missing or of another type';

CREATE FUNCTION msgpack_timestamptz(doc msgpack, VARIADIC path text[]) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'msgpack_get_timestamptz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION msgpack_timestamptz(msgpack, text[])
	IS 'a timestamp, to the nearest microsecond at a path, NULL when it is missing or of another type';

--
-- Folding: chains of -> and a cast over them become one call at plan time
--

CREATE FUNCTION msgpack_fold(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_fold(internal) IS 'planner support of the access operators and casts';

CREATE FUNCTION msgpack_follow(msgpack, msgpack) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_follow(msgpack, msgpack) IS 'what the planner makes of doc->''a''->''b''';

CREATE FUNCTION msgpack_follow_text(msgpack, msgpack) RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_follow_text(msgpack, msgpack) IS 'what the planner makes of doc->''a''->>''b''';

CREATE FUNCTION msgpack_follow_bool(msgpack, msgpack) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_follow_bool(msgpack, msgpack) IS 'what the planner makes of (doc->''a'')::bool';

CREATE FUNCTION msgpack_follow_int2(msgpack, msgpack) RETURNS int2
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_follow_int2(msgpack, msgpack) IS 'what the planner makes of (doc->''a'')::int2';

CREATE FUNCTION msgpack_follow_int4(msgpack, msgpack) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_follow_int4(msgpack, msgpack) IS 'what the planner makes of (doc->''a'')::int4';

CREATE FUNCTION msgpack_follow_int8(msgpack, msgpack) RETURNS int8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_follow_int8(msgpack, msgpack) IS 'what the planner makes of (doc->''a'')::int8';

CREATE FUNCTION msgpack_follow_float4(msgpack, msgpack) RETURNS float4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_follow_float4(msgpack, msgpack) IS 'what the planner makes of (doc->''a'')::float4';

CREATE FUNCTION msgpack_follow_float8(msgpack, msgpack) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_follow_float8(msgpack, msgpack) IS 'what the planner makes of (doc->''a'')::float8';

CREATE FUNCTION msgpack_follow_numeric(msgpack, msgpack) RETURNS numeric
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_follow_numeric(msgpack, msgpack) IS 'what the planner makes of (doc->''a'')::numeric';

CREATE FUNCTION msgpack_follow_timestamptz(msgpack, msgpack) RETURNS timestamptz
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_follow_timestamptz(msgpack, msgpack) IS 'what the planner makes of (doc->''a'')::timestamptz';

ALTER FUNCTION msgpack_object_field(msgpack, text) SUPPORT msgpack_fold;
ALTER FUNCTION msgpack_object_field_text(msgpack, text) SUPPORT msgpack_fold;
ALTER FUNCTION msgpack_array_element(msgpack, int8) SUPPORT msgpack_fold;
ALTER FUNCTION msgpack_array_element_text(msgpack, int8) SUPPORT msgpack_fold;
ALTER FUNCTION msgpack_extract_path(msgpack, text[]) SUPPORT msgpack_fold;
ALTER FUNCTION msgpack_extract_path_text(msgpack, text[]) SUPPORT msgpack_fold;
ALTER FUNCTION bool(msgpack) SUPPORT msgpack_fold;
ALTER FUNCTION int2(msgpack) SUPPORT msgpack_fold;
ALTER FUNCTION int4(msgpack) SUPPORT msgpack_fold;
ALTER FUNCTION int8(msgpack) SUPPORT msgpack_fold;
ALTER FUNCTION float4(msgpack) SUPPORT msgpack_fold;
ALTER FUNCTION float8(msgpack) SUPPORT msgpack_fold;
ALTER FUNCTION "numeric"(msgpack) SUPPORT msgpack_fold;
ALTER FUNCTION timestamptz(msgpack) SUPPORT msgpack_fold;

--
-- Rows: containers taken apart
--

CREATE FUNCTION msgpack_entries_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_entries_support(internal) IS
	'planner support: rows of a known document''s root';

CREATE FUNCTION msgpack_tree_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_tree_support(internal) IS
	'planner support: rows of a known document''s tree';

CREATE FUNCTION msgpack_each(from_json msgpack, OUT key text, OUT value msgpack)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	ROWS 100 SUPPORT msgpack_entries_support;
COMMENT ON FUNCTION msgpack_each(msgpack) IS 'the pairs of a map';

CREATE FUNCTION msgpack_each_text(from_json msgpack, OUT key text, OUT value text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	ROWS 100 SUPPORT msgpack_entries_support;
COMMENT ON FUNCTION msgpack_each_text(msgpack) IS 'the pairs of a map, values as text';

CREATE FUNCTION msgpack_array_elements(from_json msgpack, OUT value msgpack)
	RETURNS SETOF msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	ROWS 100 SUPPORT msgpack_entries_support;
COMMENT ON FUNCTION msgpack_array_elements(msgpack) IS 'the elements of an array';

CREATE FUNCTION msgpack_array_elements_text(from_json msgpack, OUT value text)
	RETURNS SETOF text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	ROWS 100 SUPPORT msgpack_entries_support;
COMMENT ON FUNCTION msgpack_array_elements_text(msgpack) IS 'the elements of an array as text';

CREATE FUNCTION msgpack_object_keys(msgpack)
	RETURNS SETOF text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	ROWS 100 SUPPORT msgpack_entries_support;
COMMENT ON FUNCTION msgpack_object_keys(msgpack) IS 'the keys of a map';

CREATE FUNCTION msgpack_tree(doc msgpack, OUT path text[], OUT key msgpack, OUT type text, OUT value msgpack)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	ROWS 100 SUPPORT msgpack_tree_support;
COMMENT ON FUNCTION msgpack_tree(msgpack) IS 'every value inside a document, with its path';

--
-- Records: documents as rows
--

CREATE FUNCTION msgpack_populate_record(base anyelement, from_json msgpack) RETURNS anyelement
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_populate_record(anyelement, msgpack) IS
	'a row of the base''s type, from a map by name or from an array by position';

CREATE FUNCTION msgpack_populate_recordset(base anyelement, from_json msgpack)
	RETURNS SETOF anyelement
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE
	ROWS 100 SUPPORT msgpack_entries_support;
COMMENT ON FUNCTION msgpack_populate_recordset(anyelement, msgpack) IS
	'a row of the base''s type from each element of an array';

CREATE FUNCTION msgpack_to_record(msgpack) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_to_record(msgpack) IS
	'a row of the columns that the query defines, from a map by name or from an array by position';

CREATE FUNCTION msgpack_to_recordset(msgpack) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE
	ROWS 100 SUPPORT msgpack_entries_support;
COMMENT ON FUNCTION msgpack_to_recordset(msgpack) IS
	'a row of the columns that the query defines from each element of an array';

--
-- MessagePack's own: ext types, bytes, streams
--

CREATE FUNCTION msgpack_ext(code int4, data bytea) RETURNS msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_ext(int4, bytea) IS 'an ext value of this code and these bytes';

CREATE FUNCTION msgpack_ext_code(doc msgpack) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_ext_code(msgpack) IS 'the code of an ext value; NULL for another type';

CREATE FUNCTION msgpack_ext_data(doc msgpack) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_ext_data(msgpack) IS 'the bytes of an ext value; NULL for another type';

CREATE FUNCTION msgpack_ext_values(doc msgpack, OUT value msgpack) RETURNS SETOF msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION msgpack_ext_values(msgpack) IS
	'the MessagePack objects that the bytes of an ext value are';

CREATE FUNCTION msgpack_binary(doc msgpack) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_binary(msgpack) IS 'the bytes of a binary or string';

CREATE FUNCTION msgpack_utf8(doc msgpack) RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION msgpack_utf8(msgpack) IS 'a string, or a binary that is UTF-8, as text';

CREATE FUNCTION msgpack_stream(data bytea, OUT value msgpack) RETURNS SETOF msgpack
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1000;
COMMENT ON FUNCTION msgpack_stream(bytea) IS 'each of a run of concatenated MessagePack objects';

--
-- Text search
--

CREATE FUNCTION to_tsvector(regconfig, msgpack) RETURNS tsvector
	AS 'MODULE_PATHNAME', 'msgpack_string_to_tsvector_byid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION to_tsvector(regconfig, msgpack) IS
	'the words of a document''s strings, in document order';

CREATE FUNCTION to_tsvector(msgpack) RETURNS tsvector
	AS 'MODULE_PATHNAME', 'msgpack_string_to_tsvector' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION to_tsvector(msgpack) IS
	'the words of a document''s strings, in document order';

CREATE FUNCTION msgpack_to_tsvector(regconfig, msgpack, msgpack) RETURNS tsvector
	AS 'MODULE_PATHNAME', 'msgpack_to_tsvector_byid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION msgpack_to_tsvector(regconfig, msgpack, msgpack) IS
	'the words of a document: of its "string", "numeric", "boolean", "key" or of "all"';

CREATE FUNCTION msgpack_to_tsvector(msgpack, msgpack) RETURNS tsvector
	AS 'MODULE_PATHNAME', 'msgpack_to_tsvector' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION msgpack_to_tsvector(msgpack, msgpack) IS
	'the words of a document: of its "string", "numeric", "boolean", "key" or of "all"';

CREATE FUNCTION ts_headline(regconfig, msgpack, tsquery, text) RETURNS msgpack
	AS 'MODULE_PATHNAME', 'msgpack_headline_byid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ts_headline(regconfig, msgpack, tsquery, text) IS
	'a document with the words of its strings that match marked';

CREATE FUNCTION ts_headline(regconfig, msgpack, tsquery) RETURNS msgpack
	AS 'MODULE_PATHNAME', 'msgpack_headline_byid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ts_headline(regconfig, msgpack, tsquery) IS
	'a document with the words of its strings that match marked';

CREATE FUNCTION ts_headline(msgpack, tsquery, text) RETURNS msgpack
	AS 'MODULE_PATHNAME', 'msgpack_headline' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ts_headline(msgpack, tsquery, text) IS
	'a document with the words of its strings that match marked';

CREATE FUNCTION ts_headline(msgpack, tsquery) RETURNS msgpack
	AS 'MODULE_PATHNAME', 'msgpack_headline' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION ts_headline(msgpack, tsquery) IS
	'a document with the words of its strings that match marked';

--
-- Operators with bytea: drivers send a document's bytes as bytea, and an operator finds no
-- assignment cast.  SQL functions, so that the planner sees msgpack on both sides, and indexes.
--

CREATE FUNCTION msgpack_contains_bytea(msgpack, bytea) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN $1 @> $2::msgpack;
COMMENT ON FUNCTION msgpack_contains_bytea(msgpack, bytea) IS 'implementation of @> operator';

CREATE FUNCTION bytea_contained_msgpack(bytea, msgpack) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN $2 @> $1::msgpack;
COMMENT ON FUNCTION bytea_contained_msgpack(bytea, msgpack) IS 'implementation of <@ operator';

CREATE FUNCTION msgpack_contained_bytea(msgpack, bytea) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN $1 <@ $2::msgpack;
COMMENT ON FUNCTION msgpack_contained_bytea(msgpack, bytea) IS 'implementation of <@ operator';

CREATE FUNCTION bytea_contains_msgpack(bytea, msgpack) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN $2 <@ $1::msgpack;
COMMENT ON FUNCTION bytea_contains_msgpack(bytea, msgpack) IS 'implementation of @> operator';

CREATE FUNCTION msgpack_eq_bytea(msgpack, bytea) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN $1 = $2::msgpack;
COMMENT ON FUNCTION msgpack_eq_bytea(msgpack, bytea) IS 'implementation of = operator';

CREATE FUNCTION bytea_eq_msgpack(bytea, msgpack) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN $1::msgpack = $2;
COMMENT ON FUNCTION bytea_eq_msgpack(bytea, msgpack) IS 'implementation of = operator';

CREATE FUNCTION msgpack_ne_bytea(msgpack, bytea) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN $1 <> $2::msgpack;
COMMENT ON FUNCTION msgpack_ne_bytea(msgpack, bytea) IS 'implementation of <> operator';

CREATE FUNCTION bytea_ne_msgpack(bytea, msgpack) RETURNS boolean
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN $1::msgpack <> $2;
COMMENT ON FUNCTION bytea_ne_msgpack(bytea, msgpack) IS 'implementation of <> operator';

CREATE FUNCTION msgpack_concat_bytea(msgpack, bytea) RETURNS msgpack
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN $1 || $2::msgpack;
COMMENT ON FUNCTION msgpack_concat_bytea(msgpack, bytea) IS 'implementation of || operator';

CREATE OPERATOR @> (
	LEFTARG = msgpack,
	RIGHTARG = bytea,
	FUNCTION = msgpack_contains_bytea,
	COMMUTATOR = <@,
	RESTRICT = matchingsel,
	JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @> (msgpack, bytea) IS 'contains; the bytes are a document';

CREATE OPERATOR <@ (
	LEFTARG = bytea,
	RIGHTARG = msgpack,
	FUNCTION = bytea_contained_msgpack,
	COMMUTATOR = @>,
	RESTRICT = matchingsel,
	JOIN = matchingjoinsel
);
COMMENT ON OPERATOR <@ (bytea, msgpack) IS 'is contained by; the bytes are a document';

CREATE OPERATOR <@ (
	LEFTARG = msgpack,
	RIGHTARG = bytea,
	FUNCTION = msgpack_contained_bytea,
	COMMUTATOR = @>,
	RESTRICT = matchingsel,
	JOIN = matchingjoinsel
);
COMMENT ON OPERATOR <@ (msgpack, bytea) IS 'is contained by; the bytes are a document';

CREATE OPERATOR @> (
	LEFTARG = bytea,
	RIGHTARG = msgpack,
	FUNCTION = bytea_contains_msgpack,
	COMMUTATOR = <@,
	RESTRICT = matchingsel,
	JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @> (bytea, msgpack) IS 'contains; the bytes are a document';

CREATE OPERATOR = (
	LEFTARG = msgpack,
	RIGHTARG = bytea,
	FUNCTION = msgpack_eq_bytea,
	COMMUTATOR = =,
	NEGATOR = <>,
	RESTRICT = eqsel,
	JOIN = eqjoinsel
);
COMMENT ON OPERATOR = (msgpack, bytea) IS 'equal, by meaning; the bytes are a document';

CREATE OPERATOR = (
	LEFTARG = bytea,
	RIGHTARG = msgpack,
	FUNCTION = bytea_eq_msgpack,
	COMMUTATOR = =,
	NEGATOR = <>,
	RESTRICT = eqsel,
	JOIN = eqjoinsel
);
COMMENT ON OPERATOR = (bytea, msgpack) IS 'equal, by meaning; the bytes are a document';

CREATE OPERATOR <> (
	LEFTARG = msgpack,
	RIGHTARG = bytea,
	FUNCTION = msgpack_ne_bytea,
	COMMUTATOR = <>,
	NEGATOR = =,
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (msgpack, bytea) IS 'not equal, by meaning; the bytes are a document';

CREATE OPERATOR <> (
	LEFTARG = bytea,
	RIGHTARG = msgpack,
	FUNCTION = bytea_ne_msgpack,
	COMMUTATOR = <>,
	NEGATOR = =,
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bytea, msgpack) IS 'not equal, by meaning; the bytes are a document';

CREATE OPERATOR || (
	LEFTARG = msgpack,
	RIGHTARG = bytea,
	FUNCTION = msgpack_concat_bytea
);
COMMENT ON OPERATOR || (msgpack, bytea) IS 'concatenate or merge; the bytes are a document';
