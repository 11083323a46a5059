"""Other extensions with binary documents, measured beside ours where the server has them.

None of them is in Debian, so that most runs skip them, and say so.
"""

from collections import namedtuple

import psycopg

# A type that reads JSON text; "read" reads the key "name" of the document S as text, in which
# {x} is the document.  "letter" is what cases.py calls its documents by.
Other = namedtuple("Other", "extension letter type read")

OTHERS = [
    Other("documentdb_core", "d", "documentdb_core.bson",
          "documentdb_core.bson_get_value_text({x}, 'name')"),
    Other("pgbson", "p", "bson", "bson_get_string({x}, 'name')"),
]

# An extension without a type: the function that makes bytes of a row.
ROW_FUNCTIONS = [("pg_zerialize", "z", "row_to_msgpack(r)")]

READ_CASE = "->> second key"
ROW_CASE = "row to document"


def available(server, extension):
    """Make the extension if the server has it; whether it is there."""
    if server.value("SELECT count(*) FROM pg_available_extensions WHERE name = '%s'"
                    % extension) == 0:
        print("    skipped: the server has no extension %s" % extension)
        return False
    try:
        server.execute("CREATE EXTENSION IF NOT EXISTS %s CASCADE" % extension)
    except psycopg.Error as error:
        print("    skipped: %s: %s" % (extension, str(error).splitlines()[0]))
        return False
    return True


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
        if available(server, other.extension):
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
