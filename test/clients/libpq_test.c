/*
 * libpq and msgpack-c: what doc/clients.md shows, and that it keeps every byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>
#include <msgpack.h>

#define MAX_DOCUMENTS 100
#define MAX_BYTES 100

typedef struct Document
{
	char		bytes[MAX_BYTES];
	int			size;
} Document;

static void
check(int *counts, int good, const char *what, const char *more)
{
	counts[good ? 0 : 1]++;
	if (!good)
		printf("FAILED: %s %s\n", what, more);
}

/* The lines of documents.hex beside this program's source. */
static int
read_documents(const char *name, Document *documents)
{
	FILE	   *file = fopen(name, "r");
	char		line[2 * MAX_BYTES + 2];
	int			count = 0;

	if (file == NULL)
		return 0;
	while (count < MAX_DOCUMENTS && fgets(line, sizeof(line), file) != NULL)
	{
		Document   *document = &documents[count++];
		unsigned	byte;

		for (document->size = 0; sscanf(line + 2 * document->size, "%2x", &byte) == 1; document->size++)
			document->bytes[document->size] = (char) byte;
	}
	fclose(file);
	return count;
}

static int
query_ok(PGconn *conn, const char *sql)
{
	PGresult   *result = PQexec(conn, sql);
	int			ok = PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK;

	if (!ok)
		fputs(PQerrorMessage(conn), stdout);
	PQclear(result);
	return ok;
}

/* [bytes] */
/* One parameter and one result, both MessagePack bytes. */
static PGresult *
query_document(PGconn *conn, const char *sql, const char *bytes, int size)
{
	const char *values[] = {bytes};
	int			lengths[] = {size};
	int			formats[] = {1};	/* 1 is binary */

	return PQexecParams(conn, sql, 1, NULL, values, lengths, formats, 1);
}

/* [/bytes] */

static void
bytes_there_and_back(int *counts, PGconn *conn, const Document *documents, int count)
{
	for (int i = 0; i < count; i++)
	{
		const Document *document = &documents[i];
		PGresult   *result = query_document(conn, "INSERT INTO docs VALUES (1, $1) RETURNING doc",
											document->bytes, document->size);

		check(counts, PQresultStatus(result) == PGRES_TUPLES_OK &&
			  PQgetlength(result, 0, 0) == document->size &&
			  memcmp(PQgetvalue(result, 0, 0), document->bytes, document->size) == 0,
			  "INSERT ... RETURNING", PQerrorMessage(conn));
		PQclear(result);
		result = query_document(conn, "SELECT doc::bytea FROM docs WHERE doc @> $1 AND doc = $1 AND $1 <@ doc "
								"AND doc::text = $1::msgpack::text", document->bytes, document->size);
		check(counts, PQntuples(result) == 1 && PQgetlength(result, 0, 0) == document->size &&
			  memcmp(PQgetvalue(result, 0, 0), document->bytes, document->size) == 0,
			  "operators", PQerrorMessage(conn));
		PQclear(result);
		check(counts, query_ok(conn, "TRUNCATE docs"), "TRUNCATE", "");
	}
}

static void
objects_there_and_back(int *counts, PGconn *conn)
{
	PGresult   *result;
	int			found = 0;

	/* [objects] */
	msgpack_sbuffer buffer;
	msgpack_packer packer;
	msgpack_unpacked unpacked;

	msgpack_sbuffer_init(&buffer);
	msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
	msgpack_pack_map(&packer, 1);
	msgpack_pack_str_with_body(&packer, "id", 2);
	msgpack_pack_int(&packer, 7);

	result = query_document(conn, "SELECT doc || '{\"new\": true}' FROM (SELECT $1::msgpack AS doc) AS x",
							buffer.data, (int) buffer.size);
	msgpack_unpacked_init(&unpacked);
	if (PQntuples(result) == 1 &&
		msgpack_unpack_next(&unpacked, PQgetvalue(result, 0, 0), PQgetlength(result, 0, 0), NULL) == MSGPACK_UNPACK_SUCCESS)
		found = unpacked.data.type == MSGPACK_OBJECT_MAP ? (int) unpacked.data.via.map.size : 0;
	msgpack_unpacked_destroy(&unpacked);
	msgpack_sbuffer_destroy(&buffer);
	/* [/objects] */
	check(counts, found == 2, "an object", PQerrorMessage(conn));
	PQclear(result);
}

/* Without the format, bytes are the text form: 0x37 is the digit 7, not 55. */
static void
trap_of_text(int *counts, PGconn *conn)
{
	const char *values[] = {"7"};
	PGresult   *result = PQexecParams(conn, "SELECT $1::msgpack::text", 1, NULL, values, NULL, NULL, 0);

	check(counts, strcmp(PQgetvalue(result, 0, 0), "7") == 0, "bytes as text", "");
	PQclear(result);
	result = query_document(conn, "SELECT $1::msgpack::text", "7", 1);
	check(counts, strcmp(PQgetvalue(result, 0, 0), "55") == 0, "bytes as bytes", "");
	PQclear(result);
}

int
main(int argc, char **argv)
{
	static Document documents[MAX_DOCUMENTS];
	int			counts[2] = {0, 0};
	int			count = read_documents(argc > 1 ? argv[1] : "documents.hex", documents);
	PGconn	   *conn = PQconnectdb("");

	check(counts, count > 40, "documents.hex", "");
	check(counts, query_ok(conn, "SET client_min_messages = warning; DROP TABLE IF EXISTS docs; "
						   "CREATE TABLE docs (id int, doc msgpack)"), "CREATE TABLE", "");
	bytes_there_and_back(counts, conn, documents, count);
	objects_there_and_back(counts, conn);
	trap_of_text(counts, conn);
	PQfinish(conn);
	printf("libpq %d, msgpack-c %s\n%d passed, %d failed\n", PQlibVersion(), msgpack_version(), counts[0], counts[1]);
	return counts[1] > 0;
}
