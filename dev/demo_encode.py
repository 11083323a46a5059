"""
Encode the JSON files of Debian's iso-codes with python3-msgpack, as files for COPY ... (FORMAT binary).

    demo_encode.py FOLDER OUT

writes OUT/msgpack.copy and OUT/jsonb.copy, rows of (file, entry, document): each file as a whole
(entry NULL), and each entry of the lists in it.  The documents of both are the same; the second has
them as their JSON text, for comparison.
"""
import glob
import json
import os
import struct
import sys

import msgpack

SIGNATURE = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
TRAILER = struct.pack(">h", -1)


def field(data):
    """One field of a row: its length, its bytes; -1 for NULL."""
    return struct.pack(">i", -1) if data is None else struct.pack(">i", len(data)) + data


def row(*fields):
    return struct.pack(">h", len(fields)) + b"".join(field(f) for f in fields)


def documents(path):
    """(entry number or None, value) of a file: itself, then the entries of its lists."""
    with open(path, encoding="utf-8") as file:
        whole = json.load(file)
    yield None, whole
    number = 0
    for value in whole.values():
        for entry in value if isinstance(value, list) else []:
            number += 1
            yield number, entry


def main(folder, out):
    paths = sorted(glob.glob(os.path.join(folder, "*.json")))
    if not paths:
        sys.exit("no JSON files in " + folder)
    with open(os.path.join(out, "msgpack.copy"), "wb") as packed, \
            open(os.path.join(out, "jsonb.copy"), "wb") as text:
        packed.write(SIGNATURE)
        text.write(SIGNATURE)
        for path in paths:
            name = os.path.splitext(os.path.basename(path))[0]
            count = size = 0
            for number, value in documents(path):
                key = name.encode(), None if number is None else struct.pack(">i", number)
                encoded = msgpack.packb(value)
                packed.write(row(*key, encoded))
                # jsonb's binary form: its version, then the text
                text.write(row(*key, b"\x01" + json.dumps(value, ensure_ascii=False).encode()))
                count += 1
                size += len(encoded)
            print("%-12s %6d documents %9d bytes" % (name, count, size), flush=True)
        packed.write(TRAILER)
        text.write(TRAILER)


if __name__ == "__main__":
    main(*sys.argv[1:])
