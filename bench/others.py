"""Other extensions with binary documents, measured beside ours where the server has them.

None of them is in Debian, so that most runs skip them, and say so.
"""

from collections import namedtuple

import psycopg

# A type that reads JSON text; "read" reads the key "name" of the document S as text, in which
# {x} is the document.  "letter" is what cases.py calls its documents by.  Extensions that may be
# anywhere are made in a schema of their own: pg_zerialize has a function of mpk's name.
Other = namedtuple("Other", "extension letter type read schema", defaults=["beside"])

OTHERS = [
    Other("documentdb_core", "d", "documentdb_core.bson",
          "documentdb_core.bson_get_value_text({x}, 'name')", None),
    Other("pgbson", "p", "beside.bson", "beside.bson_get_string({x}, 'name')"),
]

# An extension without a type: the function that makes bytes of a row.
ROW_FUNCTIONS = [("pg_zerialize", "z", "beside.row_to_msgpack(r)")]

READ_CASE = "->> second key"
ROW_CASE = "row to document"


def available(server, extension, schema="beside"):
    """Make the extension if the server has it; whether it is there now."""
    try:
        if schema:
            server.execute("CREATE SCHEMA IF NOT EXISTS " + schema)
        server.execute("CREATE EXTENSION %s %s CASCADE" % (
            extension, "SCHEMA " + schema if schema else ""))
        return True
    except psycopg.Error as error:
        absent = isinstance(error, (psycopg.errors.UndefinedFile,
                                    psycopg.errors.FeatureNotSupported))
        print("    skipped: " + ("the server has no extension " + extension if absent
                                 else "%s: %s" % (extension, str(error).splitlines()[0])))
        return False


def with_type(case, other):
    """The case with the type beside it, if it is one that the type can do."""
    x = "{%s}" % other.letter
    if case.name == "text in":
        return case._replace(also={**case.also, other.letter: "{t}::" + other.type})
    if case.name == "text out":
        return case._replace(also={**case.also, other.letter: x + "::text"})
    if case.name == READ_CASE:
        return case._replace(also={**case.also, other.letter: other.read.replace("{x}", x)})
    if case.name == "size in memory":
        return case._replace(also=case.also + other.letter)
    return case


def beside(server, cases):
    """The cases with what other extensions have beside them; before documents are loaded."""
    for other in OTHERS:
        if available(server, other.extension, other.schema):
            server.add_type(other.letter, other.type)
            server.names[other.letter] = other.extension
            cases = [with_type(case, other) for case in cases]
    for extension, letter, function in ROW_FUNCTIONS:
        if available(server, extension):
            server.names[letter] = extension
            cases = [case._replace(also={
                **case.also, letter: (None, "SELECT count(%s) FROM facts r" % function)})
                     if case.name == ROW_CASE else case for case in cases]
    return cases
