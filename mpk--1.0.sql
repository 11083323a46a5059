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

CREATE TYPE msgpack (
	INPUT = msgpack_in,
	OUTPUT = msgpack_out,
	RECEIVE = msgpack_recv,
	SEND = msgpack_send,
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

--
-- Text for reading
--

--
-- jsonb and json
--

--
-- Access
--
