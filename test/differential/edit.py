#!/usr/bin/python3
"""Edits: against jsonb's, and against a naive model.

JSON documents: each edit on msgpack and on jsonb gives the same document, or
the same error.  MessagePack documents of every kind, odd ones too: each edit
gives the very bytes that taking the document apart, changing the tree and
writing it again does, every node in the width it had; the result is valid,
known for what is irregular in it, and stored as the same bytes from outside
are.
"""

import json
import random
import re

import libmpk
from access import one_hash
from libmpk import (Generator, Node, Report, connect, identity, is_regular, load, read, write_array,
                    write_bin, write_ext, write_f32_bits, write_f64_bits, write_int, write_map,
                    write_str)

# ---------------------------------------------------------------------------
# Against jsonb
# ---------------------------------------------------------------------------

EDITS = {
    "set": "{t}_set(doc, path, value)",
    "replace": "{t}_set(doc, path, value, false)",
    "insert": "{t}_insert(doc, path, value)",
    "insert after": "{t}_insert(doc, path, value, true)",
    "delete": "doc #- path",
    "delete key": "doc - path[1]",
    "delete keys": "doc - path",
    "concat": "doc || value",
    "concat left": "value || doc",
    "strip": "{t}_strip_nulls(doc)",
    # a variable that is NULL: jsonb_set_lax writes into a constant one, and reads it when it is freed
    "lax": "{t}_set_lax(doc, path, nothing)",
    "lax delete": "{t}_set_lax(doc, path, nothing, true, 'delete_key')",
    "lax return": "{t}_set_lax(doc, path, nothing, true, 'return_target')",
    "lax raise": "{t}_set_lax(doc, path, nothing, true, 'raise_exception')",
    "lax no such": "{t}_set_lax(doc, path, nothing, true, 'no such')",
    "lax value": "{t}_set_lax(doc, path, value, false, 'delete_key')",
}

# Assignments to subscripts, of as many levels.
ASSIGNMENTS = ["", "doc[path[1]]", "doc[path[1]][path[2]]", "doc[path[1]][path[2]][path[3]]",
               "doc[path[1]][path[2]][path[3]][path[4]]"]


def attempt_function(kind):
    """pg_temp.try_KIND(edit, doc, path, value): the result, or the error."""
    cases = "".join("\t\tWHEN '%s' THEN result := (%s)::jsonb;\n" % (name, text.format(t=kind))
                    for name, text in EDITS.items())
    assigns = "".join("\t\t\tWHEN %d THEN %s := value;\n" % (n, target)
                      for n, target in enumerate(ASSIGNMENTS) if n)
    reads = "".join("\t\t\tWHEN %d THEN result := (%s)::jsonb;\n" % (n, target)
                    for n, target in enumerate(ASSIGNMENTS) if n)
    return """
CREATE OR REPLACE FUNCTION pg_temp.try_%s(edit text, doc %s, path text[], value %s,
		OUT result jsonb, OUT error text) AS $$
DECLARE
	nothing %s;
	detail text;
	hint text;
BEGIN
	CASE edit
%s		WHEN 'assign' THEN
			CASE cardinality(path)
%s			END CASE;
			result := doc::jsonb;
		WHEN 'read' THEN
			CASE cardinality(path)
%s			END CASE;
	END CASE;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	error := SQLSTATE || ' ' || SQLERRM || ' ' || detail || ' ' || hint;
END $$ LANGUAGE plpgsql;
""" % (kind, kind, kind, kind, cases, assigns, reads)


class JsonMaker:
    """Documents, and paths that lead into them or nearly."""

    KEYS = ["a", "b", "c", "key", "", "0", "1", "-1", "é", "x y"]

    def __init__(self, seed):
        self.r = random.Random(seed)

    def scalar(self):
        return self.r.choice([None, None, True, False, 0, -1, 1.5, "s", "a", "b", ""])

    def value(self, depth=0):
        r = self.r
        if depth > 3 or r.random() < 0.2 + 0.1 * depth:
            return self.scalar()
        count = r.choice([0, 1, 2, 3, 3, 4])
        if r.random() < 0.5:
            return [self.value(depth + 1) for _ in range(count)]
        return {r.choice(self.KEYS): self.value(depth + 1) for _ in range(count)}

    def step(self, value):
        r = self.r
        if isinstance(value, list):
            length = len(value)
            return str(r.choice([0, length - 1, length, length + 2, -1, -length, -length - 1,
                                 r.randint(0, 4)]))
        if isinstance(value, dict) and value and r.random() < 0.75:
            return r.choice(list(value))
        return r.choice(self.KEYS)

    def path(self, value):
        r = self.r
        steps = []
        for _ in range(r.choice([0, 1, 1, 2, 2, 3, 3, 4])):
            step = self.step(value) if r.random() < 0.93 else r.choice(
                [None, "x", " 1", "+1", "01", "1 ", "1.0", "99999999999999999999", "-0", "2"])
            steps.append(step)
            try:
                value = value[int(step)] if isinstance(value, list) else value[step]
            except (KeyError, IndexError, TypeError, ValueError):
                value = None
        return steps


def is_by_design(edit, path, theirs, ours):
    """Where msgpack is to differ: an index beyond 32 bits is no integer for jsonb only."""
    return any(step is not None and re.fullmatch(r"\s*[-+]?\d{11,18}", step) for step in path)


def against_jsonb(connection, report):
    maker = JsonMaker(51)
    rows = []
    for _ in range(1500):
        doc, value = maker.value(), maker.value(2)
        path = maker.path(doc)
        edits = list(EDITS)
        if path:
            edits += ["read"] if None in path else ["read", "assign"]
        for edit in edits:
            if edit == "delete key" and not path:
                continue
            rows.append((len(rows), edit, json.dumps(doc), path, json.dumps(value)))
    load(connection, "json_edits", "id int4, edit text, doc text, path text[], value text", rows)
    connection.execute(attempt_function("jsonb"))
    connection.execute(attempt_function("msgpack"))
    answers = connection.execute("""
SELECT id, j.result = m.result OR j.result IS NULL AND m.result IS NULL, j.error, m.error,
	j.result::text, m.result::text
	FROM json_edits, pg_temp.try_jsonb(edit, doc::jsonb, path, value::jsonb) j,
		pg_temp.try_msgpack(edit, doc::msgpack, path, value::msgpack) m""").fetchall()
    report.equal(len(answers), len(rows), "rows of edits")
    failed = 0
    for number, same, theirs, ours, theirs_result, ours_result in answers:
        wanted = (theirs or "").replace("jsonb", "msgpack").replace("JSON value", "msgpack value")
        failed += theirs is not None
        report.check(same and (ours or "") == wanted or
                     is_by_design(rows[number][1], rows[number][3], theirs, ours),
                     rows[number], theirs or theirs_result, ours or ours_result)
    print("against jsonb: %d edits, %d of them errors" % (len(rows), failed), flush=True)
    report.check(0 < failed < len(rows) / 2, "too few or too many errors")


# ---------------------------------------------------------------------------
# Against a model
# ---------------------------------------------------------------------------

def write(node):
    """A tree as bytes, every node in the width that it has."""
    kind, value, mark = node
    if kind == "nil":
        return b"\xc0"
    if kind == "bool":
        return b"\xc3" if value else b"\xc2"
    if kind == "ext":
        return write_ext(value[0], value[1], mark)
    if kind == "array":
        return write_array([write(item) for item in value], mark)
    if kind == "map":
        return write_map([(write(k), write(v)) for k, v in value], mark)
    if kind in ("f32", "f64"):
        return write_f32_bits(value) if kind == "f32" else write_f64_bits(value)
    return {"int": write_int, "str": write_str, "bin": write_bin}[kind](value, mark)


NIL = Node("nil", None, None)


class Fault(Exception):
    """An edit that is an error: its SQLSTATE."""


class Unchanged(Exception):
    """An edit that leaves the document as it is."""


def with_items(node, items):
    """The container with these; a head that counts anew is the shortest."""
    return Node(node.kind, items, node.mark if len(items) == len(node.value) else None)


def plain_integer(text):
    if not re.fullmatch(r"0|-?[1-9]\d*", text):
        return None
    return int(text) if -2**63 <= int(text) < 2**64 else None


def path_index(text):
    if not re.fullmatch(r"[ \t-\r]*[-+]?\d+", text):
        return None
    return int(text) if abs(int(text)) < 2**63 else None


def text_matches(text):
    """The identities that a text leads to, the best first."""
    wanted = [("str", text.encode()), ("bin", text.encode())]
    number = plain_integer(text)
    return wanted + ([("number", number)] if number is not None else [])


def find_pair(node, wanted):
    """The place of the pair that counts, by any of these identities in turn; None when there is none."""
    for each in wanted:
        for place in range(len(node.value) - 1, -1, -1):
            if identity(node.value[place][0]) == each:
                return place
    return None


def put_element(node, place, kind, value):
    items = list(node.value)
    if kind == "delete":
        del items[place]
    elif kind in ("insert", "insert after"):
        items.insert(place + (kind == "insert after"), value)
    else:
        items[place] = value
    return with_items(node, items)


def put_pair(node, place, kind, value):
    items = list(node.value)
    if kind == "delete":
        gone = identity(items[place][0])
        items = [pair for pair in items if identity(pair[0]) != gone]
    elif kind in ("insert", "insert after"):
        raise Fault("22023")
    else:
        items[place] = (items[place][0], value)
    return with_items(node, items)


def chain(path, value):
    for text in reversed(path):
        index = path_index(text)
        if index is not None:
            value = Node("array", [NIL] * max(index, 0) + [value], None)
        else:
            value = Node("map", [(Node("str", text.encode(), None), value)], None)
    return value


def edit_array(node, path, kind, value):
    index = path_index(path[0])
    if index is None:
        raise Fault("22P02")
    count = len(node.value)
    if index < 0:
        index += count
        if index < 0:
            if kind == "assign":
                raise Fault("22023")
            index = None
    if index is not None and index < count:
        if len(path) == 1:
            return put_element(node, index, kind, value)
        items = list(node.value)
        items[index] = edit_node(items[index], path[1:], kind, value)
        return with_items(node, items)
    if kind in ("replace", "delete") or (len(path) > 1 and kind != "assign"):
        raise Unchanged
    if index is None:
        return with_items(node, [value] + node.value)
    gap = [NIL] * (index - count) if kind == "assign" else []
    return with_items(node, node.value + gap + [chain(path[1:], value)])


def edit_map(node, path, kind, value):
    place = find_pair(node, text_matches(path[0]))
    if place is not None:
        if len(path) == 1:
            return put_pair(node, place, kind, value)
        items = list(node.value)
        items[place] = (items[place][0], edit_node(items[place][1], path[1:], kind, value))
        return with_items(node, items)
    if kind in ("replace", "delete") or (len(path) > 1 and kind != "assign"):
        raise Unchanged
    key = Node("str", path[0].encode(), None)
    return with_items(node, node.value + [(key, chain(path[1:], value))])


def edit_node(node, path, kind, value):
    if path[0] is None:
        raise Fault("22004")
    if node.kind == "array":
        return edit_array(node, path, kind, value)
    if node.kind == "map":
        return edit_map(node, path, kind, value)
    if kind == "assign":
        raise Fault("22023")
    raise Unchanged


def edit_path(node, path, kind, value):
    if kind != "assign":
        if node.kind not in ("array", "map"):
            raise Fault("22023")
        if not path or (not node.value and kind in ("replace", "delete")):
            raise Unchanged
    return edit_node(node, path, kind, value)


def delete_texts(node, texts):
    if node.kind not in ("array", "map"):
        raise Fault("22023")
    texts = [text for text in texts if text is not None]
    if node.kind == "array":
        gone = {("str", text.encode()) for text in texts}
        return with_items(node, [item for item in node.value if identity(item) not in gone])
    gone = set()
    for text in texts:
        place = find_pair(node, text_matches(text))
        if place is not None:
            gone.add(identity(node.value[place][0]))
    return with_items(node, [pair for pair in node.value if identity(pair[0]) not in gone])


def delete_key(node, wanted, index):
    if node.kind not in ("array", "map"):
        raise Fault("22023")
    if node.kind == "map":
        place = find_pair(node, [wanted])
        if place is None:
            raise Unchanged
        return put_pair(node, place, "delete", None)
    if index is not None and index < 0:
        index += len(node.value)
    if index is None or not 0 <= index < len(node.value):
        raise Unchanged
    return put_element(node, index, "delete", None)


def bring_together(node, others, put):
    """The pairs of a map, distinct, with others' put in by put(old value or None, new value)."""
    pairs = {}
    for key, value in node.value:
        each = identity(key)
        pairs[each] = (pairs[each][0] if each in pairs else key, value)
    for key, value in {identity(k): (k, v) for k, v in others.value}.values():
        each = identity(key)
        old_key, old = pairs.get(each, (key, None))
        new = put(old, value)
        if new is None:
            pairs.pop(each, None)
        else:
            pairs[each] = (old_key, new)
    return with_items(node, list(pairs.values()))


def first_keys(node):
    """Pairs as they are brought together: the first key of equal ones, the last value."""
    pairs = {}
    for key, value in node.value:
        each = identity(key)
        pairs[each] = (pairs[each][0] if each in pairs else key, value)
    return Node("map", list(pairs.values()), node.mark)


def concat(a, b):
    if a.kind == b.kind and a.kind in ("array", "map"):
        if not a.value:
            return b
        if not b.value:
            return a
    if a.kind == "map" and b.kind == "map":
        return bring_together(a, first_keys(b), lambda old, new: new)
    left = a.value if a.kind == "array" else [a]
    right = b.value if b.kind == "array" else [b]
    return Node("array", left + right, None)


def merge(target, patch):
    if patch.kind != "map":
        return patch
    if target is None or target.kind != "map":
        # what is left of the patch stands alone, its head too while it counts the same
        bare = bring_together(Node("map", [], None), first_keys(patch), merge_pair)
        return Node("map", bare.value,
                    patch.mark if len(bare.value) == len(patch.value) else None)
    return bring_together(target, first_keys(patch), merge_pair)


def merge_pair(old, new):
    return None if new.kind == "nil" else merge(old, new)


def drop_repeated(node):
    """As msgpack_regular drops them: the last pair at the first one's place."""
    if node.kind == "array":
        return with_items(node, [drop_repeated(item) for item in node.value])
    if node.kind != "map":
        return node
    pairs = {}
    for key, value in node.value:
        pairs[identity(key)] = (drop_repeated(key), drop_repeated(value))
    return with_items(node, list(pairs.values()))


def has_nil(node, in_arrays):
    if node.kind == "array":
        return any(in_arrays and item.kind == "nil" or has_nil(item, in_arrays)
                   for item in node.value)
    if node.kind == "map":
        return any(value.kind == "nil" or has_nil(value, in_arrays) for _, value in node.value)
    return False


def strip(node, in_arrays):
    if not has_nil(drop_repeated(node), in_arrays):
        raise Unchanged
    return strip_node(drop_repeated(node), in_arrays)


def strip_node(node, in_arrays):
    if node.kind == "array":
        return with_items(node, [strip_node(item, in_arrays) for item in node.value
                                 if not (in_arrays and item.kind == "nil")])
    if node.kind == "map":
        return with_items(node, [(key, strip_node(value, in_arrays)) for key, value in node.value
                                 if value.kind != "nil"])
    return node


# name: SQL, model; both of doc, path (text[]), value.
MODELLED = {
    "set": ("msgpack_set(doc, path, value)", lambda d, p, v: edit_path(d, p, "set", v)),
    "replace": ("msgpack_set(doc, path, value, false)",
                lambda d, p, v: edit_path(d, p, "replace", v)),
    "insert": ("msgpack_insert(doc, path, value)", lambda d, p, v: edit_path(d, p, "insert", v)),
    "insert after": ("msgpack_insert(doc, path, value, true)",
                     lambda d, p, v: edit_path(d, p, "insert after", v)),
    "delete": ("doc #- path", lambda d, p, v: edit_path(d, p, "delete", v)),
    "delete text": ("doc - path[1]", lambda d, p, v: delete_texts(d, p[:1])),
    "delete texts": ("doc - path", lambda d, p, v: delete_texts(d, p)),
    "delete key": ("msgpack_delete(doc, value)",
                   lambda d, p, v: delete_key(d, identity(v), index_of(v))),
    "delete number": ("doc - cardinality(path)",
                      lambda d, p, v: delete_key(d, ("number", len(p)), len(p))),
    "concat": ("doc || value", lambda d, p, v: concat(d, v)),
    "merge": ("msgpack_merge(doc, value)", lambda d, p, v: merge(d, v)),
    "strip": ("msgpack_strip_nulls(doc)", lambda d, p, v: strip(d, False)),
    "strip arrays": ("msgpack_strip_nulls(doc, true)", lambda d, p, v: strip(d, True)),
}


def index_of(node):
    """A number's index, if it is an integer."""
    what, value = identity(node)[:2]
    if what != "number" or value == "NaN" or value in (float("inf"), float("-inf")):
        return None
    return int(value) if value == int(value) and abs(value) < 2**63 else None


def model_function():
    cases = "".join("\t\tWHEN '%s' THEN result := %s;\n" % (name, sql)
                    for name, (sql, _) in MODELLED.items())
    assigns = "".join("\t\t\tWHEN %d THEN %s := value;\n" % (n, target)
                      for n, target in enumerate(ASSIGNMENTS) if n)
    return """
CREATE OR REPLACE FUNCTION pg_temp.edit(edit text, doc msgpack, path text[], value msgpack,
		OUT result msgpack, OUT state text) AS $$
BEGIN
	CASE edit
%s		WHEN 'assign' THEN
			CASE cardinality(path)
%s			END CASE;
			result := doc;
	END CASE;
EXCEPTION WHEN OTHERS THEN
	state := SQLSTATE;
END $$ LANGUAGE plpgsql;
""" % (cases, assigns)


class PathMaker:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def step(self, node):
        r = self.r
        if node is not None and node.kind == "array":
            count = len(node.value)
            return str(r.choice([0, count - 1, count, count + 3, -1, -count, -count - 1]))
        texts = []
        if node is not None and node.kind == "map":
            texts = [key.value.decode() if key.kind in ("str", "bin") else str(key.value)
                     for key, _ in node.value
                     if key.kind == "int" or key.kind in ("str", "bin") and
                     libmpk.is_utf8(key.value) and b"\0" not in key.value]
        if texts and r.random() < 0.8:
            return r.choice(texts)
        return r.choice(["a", "new", "", "0", "1"]) if r.random() < 0.95 else None

    def path(self, node):
        r = self.r
        steps = []
        for _ in range(r.choice([0, 1, 1, 2, 2, 3, 4])):
            step = self.step(node)
            steps.append(step)
            if step is None or node is None:
                node = None
            elif node.kind == "array":
                index = path_index(step)
                node = (node.value[index] if index is not None and
                        -len(node.value) <= index < len(node.value) else None)
            elif node.kind == "map":
                place = find_pair(node, text_matches(step))
                node = node.value[place][1] if place is not None else None
            else:
                node = None
        return steps


def some_value(generator, doc, r):
    """What is put in: a value, often one of the document's keys or a variation of the document."""
    if r.random() < 0.3:
        return generator.value(3)
    if doc.kind in ("map", "array") and doc.value and r.random() < 0.3:
        item = r.choice(doc.value)
        return write(item[0] if doc.kind == "map" else item)
    if doc.kind == "map" and r.random() < 0.7:
        pairs = r.sample(doc.value, r.randint(0, len(doc.value)))
        return write(Node("map", [(key, r.choice([NIL, value, read(generator.value(3))]))
                                  for key, value in pairs], None))
    return generator.value(1)


def expected(edit, doc, path, value):
    """(bytes, SQLSTATE)"""
    try:
        if edit == "assign":
            return write(edit_path(doc, path, "assign", value)), None
        return write(MODELLED[edit][1](doc, path, value)), None
    except Unchanged:
        return write(doc), None
    except Fault as fault:
        return None, str(fault)


def is_sound_path(path):
    """No gap that would make a document of megabytes."""
    return all(step is None or abs(path_index(step) or 0) < 10000 for step in path)


def against_model(connection, report):
    generator = Generator(52)
    paths = PathMaker(53)
    r = random.Random(54)
    rows = []
    wanted = []
    while len(rows) < 40000:
        data = generator.value() if r.random() < 0.9 else generator.value(2)
        doc = read(data)
        path = paths.path(doc)
        value = some_value(generator, doc, r)
        for edit in list(MODELLED) + ["assign"]:
            if edit == "delete text" and (not path or path[0] is None):
                continue
            if edit == "assign" and (not path or None in path or not is_sound_path(path)):
                continue
            rows.append((len(rows), edit, data, path, value))
            wanted.append(expected(edit, doc, path, read(value)))
    load(connection, "edits", "id int4, edit text, doc bytea, path text[], value bytea", rows)
    connection.execute(model_function())
    answers = connection.execute("""
SELECT id, result::bytea, state, msgpack_check(result) IS NULL,
	state IS NOT NULL OR record_image_eq(ROW(result), ROW(result::bytea::msgpack))
	FROM edits, pg_temp.edit(edit, doc::msgpack, path, value::msgpack)""").fetchall()
    report.equal(len(answers), len(rows), "rows of edits")
    changed = 0
    for number, result, state, regular, same_datum in answers:
        _, edit, data, path, value = rows[number]
        case = (edit, data.hex(), path, value.hex())
        report.equal((result.hex() if result is not None else None, state),
                     (wanted[number][0].hex() if wanted[number][0] is not None else None,
                      wanted[number][1]), *case)
        if result is not None and result == wanted[number][0]:
            changed += result != data
            report.check(same_datum, "stored otherwise than from outside", *case)
            report.equal(regular, is_regular(read(result)), "irregularities", *case)
    print("against a model: %d edits, %d documents changed" % (len(rows), changed), flush=True)
    report.check(changed > len(rows) / 4, "too few changes")


class WideGenerator(Generator):
    """Documents whose containers have tables: wide maps, long arrays, texts of kilobytes."""

    def value(self, depth=0):
        r = self.r
        if depth >= 4 or (depth > 0 and r.random() < 0.85):
            return self.scalar() if r.random() < 0.97 else write_str("t" * r.choice([300, 2000]))
        count = r.choice([1, 3, 7, 8, 15, 16, 17, 40, 63, 64, 65, 66, 100, 128, 129, 190] if depth < 2
                         else [0, 1, 2, 8, 16])
        if r.random() < 0.4:
            return write_array([self.value(depth + 1) for _ in range(count)])
        if r.random() < 0.7:
            keys = [write_str("key %d" % i) for i in r.sample(range(200), count)]
        else:
            keys = [write_int(i * 7 - 300) for i in r.sample(range(200), count)]
        return write_map([(key, self.value(depth + 1)) for key in keys])


# name: whether the index of the result is to come out of the old one.
INDEXED = ("set", "replace", "insert", "insert after", "delete", "delete text", "delete key",
           "delete number", "assign")


def of_wide_documents(connection, report):
    """Results have the index that they would have from outside."""
    generator = WideGenerator(57, odd=False)
    paths = PathMaker(58)
    r = random.Random(59)
    rows = []
    wanted = []
    while len(rows) < 4500:
        data = generator.value()
        doc = read(data)
        for _ in range(3):
            path = paths.path(doc)
            if not path or None in path or not is_sound_path(path):
                continue
            value = generator.value(r.choice([1, 2, 4, 4]))
            for edit in INDEXED:
                rows.append((len(rows), edit, data, path, value))
                wanted.append(expected(edit, doc, path, read(value)))
            if doc.kind == "map":
                pairs = {identity(key): (write(key), generator.value(4)) for key in
                         r.sample([key for key, _ in doc.value], min(len(doc.value), 2)) +
                         [read(generator.string()), read(write_int(1))]}
                patch = write_map(list(pairs.values()))
                rows.append((len(rows), "concat", data, path, patch))
                wanted.append(expected("concat", doc, path, read(patch)))
    load(connection, "wide", "id int4, edit text, doc bytea, path text[], value bytea", rows)
    connection.execute(model_function())
    changed = 0
    for number, result, state, same_datum in connection.execute("""
SELECT id, result::bytea, state,
	state IS NOT NULL OR record_image_eq(ROW(result), ROW(result::bytea::msgpack))
	FROM wide, pg_temp.edit(edit, doc::msgpack, path, value::msgpack)""").fetchall():
        _, edit, data, path, value = rows[number]
        report.check((result, state) == wanted[number], edit, path, state, wanted[number][1],
                     data[:100].hex(), value[:100].hex())
        report.check(same_datum, "another index", edit, path, data[:100].hex(), value[:100].hex())
        changed += result is not None and result != data
    print("wide documents: %d edits, %d documents changed" % (len(rows), changed), flush=True)
    report.check(changed > len(rows) / 4, "too few changes")


def against_fold(connection, report):
    """msgpack_merge_agg is msgpack_merge again and again, however often it merges on the way."""
    generator = Generator(55)
    r = random.Random(56)
    rows = []
    wanted = {}
    for group in range(300):
        result = None
        for place in range(r.choice([1, 2, 3, 5, 20])):
            data = some_value(generator, result, r) if result is not None else generator.value()
            rows.append((group, place, data))
            result = read(data) if result is None else merge(result, read(data))
        wanted[group] = write(result)
    load(connection, "merges", "id int4, place int4, doc bytea", rows)
    for group, result, regular in connection.execute("""
SELECT id, msgpack_merge_agg(doc::msgpack ORDER BY place)::bytea,
	msgpack_check(msgpack_merge_agg(doc::msgpack ORDER BY place)) IS NULL
	FROM merges GROUP BY id""").fetchall():
        report.equal(result.hex(), wanted[group].hex(), "merge_agg", group)
        report.equal(regular, is_regular(read(result)), "merge_agg", group)
    # past the sizes at which it merges on the way
    answer = connection.execute("""
WITH RECURSIVE doc AS (
	SELECT i, msgpack_build_object('k' || i % 500, msgpack_build_object('n' || i % 7,
		CASE WHEN i % 5 > 0 THEN i END, 'text', repeat('x', i % 90))) AS d
	FROM generate_series(1, 4000) i
), fold AS (
	SELECT 1 AS i, d FROM doc WHERE i = 1
	UNION ALL
	SELECT fold.i + 1, msgpack_merge(fold.d, doc.d) FROM fold JOIN doc ON doc.i = fold.i + 1
)
SELECT (SELECT d FROM fold ORDER BY i DESC LIMIT 1)::bytea
	= (SELECT msgpack_merge_agg(d ORDER BY i) FROM doc)::bytea""").fetchone()
    report.check(answer[0], "merge_agg of many")


def of_keys_of_one_hash(connection, report):
    """Keys that hash tables cannot tell apart, edited as jsonb is: what works by table gives up."""
    keys = one_hash(900, random.Random("edits"))
    pairs = [(key, i) for i, key in enumerate(keys[:600])]
    others = [(key, -i) for i, key in enumerate(keys[300:])]

    def encoded(pairs):
        return write_map([(write_str(key), write_int(value)) for key, value in pairs])
    connection.execute("CREATE TEMPORARY TABLE collided AS SELECT a, b, a::jsonb AS ja, b::jsonb AS jb, "
                       "c FROM (SELECT %s::bytea::msgpack AS a, %s::bytea::msgpack AS b, "
                       "%s::bytea::msgpack AS c) AS docs",
                       (encoded(pairs), encoded(others), encoded(pairs + others)))
    for what, sql in (
            ("||", "a || b = (ja || jb)::msgpack"),
            ("merge", "msgpack_merge(a, b) = (ja || jb)::msgpack"),
            ("regular", "msgpack_regular(c) = (ja || jb)::msgpack AND c = a || b"),
            ("irregular", "msgpack_check(c) LIKE 'repeated key%'"),
            ("cast", "c::jsonb = ja || jb"),
            ("less", "a - ARRAY(SELECT jsonb_object_keys(jb)) = "
                     "(ja - ARRAY(SELECT jsonb_object_keys(jb)))::msgpack"),
            ("object_agg", "(SELECT msgpack_object_agg(k, v) FROM (SELECT * FROM msgpack_each(a) "
                           "UNION ALL SELECT * FROM msgpack_each(b)) e(k, v)) = (ja || jb)::msgpack")):
        report.equal(connection.execute("SELECT " + sql + " FROM collided").fetchone(), (True,),
                     "keys of one hash", what)


def main():
    report = Report()
    with connect() as connection:
        against_jsonb(connection, report)
        against_model(connection, report)
        of_wide_documents(connection, report)
        against_fold(connection, report)
        of_keys_of_one_hash(connection, report)
    report.finish()


if __name__ == "__main__":
    main()
