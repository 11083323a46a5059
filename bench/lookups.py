"""Look-ups: reading by key, index and path.

In memory they are Expressions, as in cases.py.  Toasted(name, jsonb, msgpack,
asked, storage) reads documents where they lie out of line: uncompressed
("external"), or compressed by "pglz" or "lz4".  The expressions are written
once, with {d} for the document.
"""

from collections import namedtuple

Toasted = namedtuple("Toasted", "name jsonb msgpack asked storage")


def both(expression):
    return expression.replace("{d}", "{j}"), expression.replace("{d}", "{m}")


def lookup(expression_class, name, expression, asked):
    """Of json too, where it has the operator; it has no casts to numbers."""
    also = {} if "bench_argument" in expression or ")::" in expression else {
        "o": expression.replace("{d}", "{o}")}
    return expression_class(name, *both(expression), asked, also)


def toasted(name, expression, asked, storage="external"):
    return Toasted("%s, %s" % (name, storage), *both(expression), asked, storage)


def text(key):
    return "{d}->>'%s'" % key


def path(*keys):
    return "{d}#>>'{{%s}}'" % ",".join(keys)


# Ten keys from all over an XL document; the keys share prefix and length.
TEN = " || ".join("(%s)" % path("section_0%d11" % i, "title") for i in range(10))

ARGUMENT = "bench_argument({d}, 'key')"


def lookups(expression_class):
    """The cases; the argument is cases.py's Expression."""
    def case(name, expression, asked):
        return lookup(expression_class, name, expression, asked)

    return [
        case("the floor: a function that returns its argument", ARGUMENT, {"S": None, "M": None}),
        case("->> first key", text("id"), {"S": 1.5}),
        case("->> second key", text("name"), {"S": 1.5}),
        case("->> middle key", text("visits"), {"S": 1.5}),
        case("->> last key", text("balance"), {"S": 1.5}),
        case("->> missing key", text("missing"), {"S": 1.5}),
        case("typed read", "({d}->'visits')::int", {"S": 2.3}),
        case("count by predicate", "nullif(({d}->>'country') = 'IT', false)", {"S": 1.5}),
        case("->> first key", text("order_id"), {"M": 1.4}),
        case("->> late key", text("notes"), {"M": 1.4}),
        case("->> missing key", text("missing"), {"M": 1.4}),
        case("#>> three deep", path("customer", "address", "city"), {"M": 1.4}),
        case("-> -> ->> three deep", "{d}->'customer'->'address'->>'city'", {"M": 1.4}),
        case("#>> in an array", path("items", "5", "sku"), {"M": 1.4}),
        case("#>> from an array's end", path("history", "-1", "state"), {"M": 1.4}),
        case("typed read two deep", "({d}->'payment'->'amount')::numeric", {"M": 1.4}),
        case("->> last key", text("complete"), {"L": None}),
        case("#>> records,75,uid", path("records", "75", "uid"), {"L": None}),
        case("#>> middle section", path("section_0500", "title"), {"XL": None}),
        case("->> a key", text("cca3"), {"country": None}),
        case("#>> two deep", path("name", "common"), {"country": None}),
        case("->> a key", text("short_name"), {"emoji": None}),
        case("->> a key", text("spec_url"), {"feature": None}),
        case("#>> three deep", path("support", "firefox", "version_added"), {"feature": None}),
        case("->> a key", text("name"), {"city": None}),
        toasted("#>> four deep", path("api", "HTMLElement", "__compat", "mdn_url"), {"mdn": None}),
        toasted("#>> in an array of 171,075", path("85000", "name"), {"cities": None}),
        toasted("->> first key", text("batch"), {"L": 3.5}),
        toasted("->> last key", text("complete"), {"L": 3.5}),
        toasted("->> missing key", text("missing"), {"L": 3.5}),
        toasted("#>> records,75,uid", path("records", "75", "uid"), {"L": 2}),
        toasted("-> most of it", "{d}->'records'", {"L": None}),
        toasted("one key, first", path("section_0000", "title"), {"XL": 25}),
        toasted("one key, middle", path("section_0500", "title"), {"XL": 25}),
        toasted("one key, last", path("section_0999", "title"), {"XL": 25}),
        toasted("missing key", text("section_1000"), {"XL": 25}),
        toasted("ten keys", TEN, {"XL": 150}),
        toasted("first key", path("section_0000", "title"), {"XL": 28}, "pglz"),
        toasted("missing key", text("section_1000"), {"XL": 28}, "pglz"),
        toasted("deep key", path("section_0900", "title"), {"XL": 1.3}, "pglz"),
        toasted("first key", path("section_0000", "title"), {"XL": 1.5}, "lz4"),
        toasted("missing key", text("section_1000"), {"XL": 1.5}, "lz4"),
        toasted("deep key", path("section_0900", "title"), {"XL": 1.5}, "lz4"),
        toasted("ten keys", TEN, {"XL": 20}, "lz4"),
    ]
