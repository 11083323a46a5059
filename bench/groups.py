"""Groups of the cases of "ratios", as charts and the figures in README show them."""

import re

MADE = ("S", "M", "L", "XL")

# A case belongs to the first group whose expression its name matches.
GROUPS = {
    "JSON text in": r"text in$",
    "JSON text out": r"text out$",
    "COPY, binary, in": r"COPY binary in$",
    "COPY, binary, out": r"COPY binary out$",
    "COPY, text, in and out": r"COPY text",
    "cast from jsonb": r"jsonb to msgpack",
    "cast to jsonb": r"msgpack to jsonb",
    "ten keys, out of line": r"ten keys",
    "one key, out of line": r".*, external$|.*key, (pglz|lz4)$",
    "one key, in memory": r"->|#>>|typed read|count by",
    "contains, exists": r"@>|\?$",
    "jsonpath": r"jsonpath",
    "keys and values as rows": r"each|object_keys|array_elements|to_record|populate",
    "edits": r"set |append|delete|strip|concatenate|assign",
    "building and aggregating": r"row to doc|build object|aggregate (rows to|numbers|pairs|rows by)",
    "sort": r"sort",
    "hash aggregate": r"hash aggregate",
    "GIN build": r"GIN build",
    "GIN look-up": r"GIN @>",
}


def group_of(case):
    """A case's group, or None: what is compared with something else than jsonb, and the floor."""
    if "bytea" in case or "workers" in case:
        return None
    return next((name for name, expression in GROUPS.items() if re.match(expression, case)), None)


def by_group(results):
    """The ratios of the made documents' times, each with its shape: {group: [(shape, ratio)]}."""
    groups = {name: [] for name in GROUPS}
    for result in results:
        name = group_of(result["case"])
        if name is not None and result["shape"] in MADE and result["unit"] != "B":
            groups[name].append((result["shape"], result["ratio"]))
    return {name: found for name, found in groups.items() if found}
