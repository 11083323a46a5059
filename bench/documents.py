#!/usr/bin/python3
"""The documents that the benchmarks run on: the same ones on every run.

Shapes, and their mean size as JSON and as MessagePack:

    S   a flat record of 10 keys: 212 and 151 bytes
    M   an order with customer, items and payment: 2.4 and 1.7 KB
    L   a batch of 150 records between header fields: 46 and 34 KB
    L2  a batch of 222 records: 68 and 51 KB
    XL  an object of 1,000 keys: 0.94 and 0.79 MB

Without what mpk keeps beside the MessagePack bytes, M to XL are 0.56 to 0.60
times as large as the same jsonb.

As a program:  documents.py SHAPE COUNT >file
writes COUNT documents as MessagePack, each after its length in 4 bytes,
big-endian.
"""

import random
import struct
import sys

import msgpack

FIRST = ["Anna", "Ben", "Carla", "David", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jürgen",
         "Kenji", "Lena", "Marek", "Nadia", "Olga", "Pavel", "Rosa", "Søren", "Tariq", "Uwe"]
LAST = ["Abel", "Brandt", "Conti", "Dvorak", "Eriksen", "Fischer", "García", "Hansen", "Ito",
        "Jansen", "Kowalski", "Lindqvist", "Moreau", "Novak", "Okafor", "Petrov", "Rossi",
        "Silva", "Tanaka", "Weber"]
WORDS = ["amber", "basket", "cable", "dense", "engine", "filter", "garden", "harbour", "island",
         "jacket", "kettle", "ladder", "magnet", "needle", "orange", "paper", "quartz", "ribbon",
         "silver", "timber", "urban", "velvet", "window", "yellow", "zinc", "café", "Größe"]
CITIES = ["Berlin", "Lyon", "Porto", "Kraków", "Oslo", "Turin", "Ghent", "Brno", "Malmö", "Graz"]
COUNTRIES = ["DE", "FR", "PT", "PL", "NO", "IT", "BE", "CZ", "SE", "AT"]
HOSTS = ["web-%02d.example.net" % i for i in range(24)]
KINDS = ["login", "logout", "purchase", "refund", "view", "search", "error"]


def phrase(r, least, most):
    return " ".join(r.choice(WORDS) for _ in range(r.randint(least, most)))


def moment(r):
    return "2026-%02d-%02dT%02d:%02d:%02dZ" % (
        r.randint(1, 12), r.randint(1, 28), r.randint(0, 23), r.randint(0, 59), r.randint(0, 59))


def identifier(r, digits):
    return "%0*x" % (digits, r.getrandbits(4 * digits))


def person(r):
    first, last = r.choice(FIRST), r.choice(LAST)
    return first + " " + last, "%s.%s%d@example.org" % (first.lower(), last.lower(),
                                                      r.randint(1, 99))


def flat_record(r):
    name, email = person(r)
    return {
        "id": r.randint(1, 2_000_000_000),
        "name": name.split()[1],
        "email": email,
        "active": r.random() < 0.7,
        "score": round(r.uniform(0, 100), 2),
        "visits": r.randint(0, 5000),
        "country": r.choice(COUNTRIES),
        "created": moment(r),
        "referrer": None if r.random() < 0.5 else r.choice(WORDS),
        "balance": r.randint(-100_000, 100_000),
    }


def address(r):
    return {
        "street": "%s street %d" % (r.choice(WORDS), r.randint(1, 200)),
        "city": r.choice(CITIES),
        "postcode": "%05d" % r.randint(0, 99999),
        "country": r.choice(COUNTRIES),
    }


def order_item(r):
    return {
        "sku": identifier(r, 10).upper(),
        "title": phrase(r, 1, 3),
        "quantity": r.randint(1, 9),
        "price": round(r.uniform(0.5, 900), 2),
        "size": [r.randint(1, 400) for _ in range(2)],
        "tags": [r.choice(WORDS) for _ in range(r.randint(0, 3))],
        "discount": None if r.random() < 0.6 else round(r.uniform(0, 0.5), 2),
    }


def order(r):
    name, email = person(r)
    return {
        "order_id": r.randint(1, 2_000_000_000),
        "placed": moment(r),
        "status": r.choice(["new", "paid", "packed", "sent", "returned"]),
        "customer": {"id": r.randint(1, 500_000), "name": name, "email": email,
                     "newsletter": r.random() < 0.3, "address": address(r)},
        "items": [order_item(r) for _ in range(r.randint(10, 12))],
        "payment": {"method": r.choice(["card", "invoice", "transfer"]), "currency": "EUR",
                    "amount": round(r.uniform(5, 3000), 2), "captured": r.random() < 0.9},
        "shipping": {"carrier": r.choice(WORDS), "weight": round(r.uniform(0.1, 30), 3),
                     "address": address(r), "signature": False},
        "notes": phrase(r, 4, 16),
        "history": [{"at": moment(r), "state": r.choice(KINDS)} for _ in range(4)],
    }


def event(r):
    return {
        "uid": identifier(r, 24),
        "at": moment(r),
        "kind": r.choice(KINDS),
        "host": r.choice(HOSTS),
        "user": r.randint(1, 500_000),
        "ok": r.random() < 0.95,
        "duration": round(r.expovariate(0.02), 3),
        "bytes": r.randint(0, 1_000_000),
        "message": phrase(r, 3, 12),
        "labels": {"zone": r.choice(COUNTRIES).lower(), "tier": r.randint(1, 3)},
        "codes": [r.randint(0, 599) for _ in range(r.randint(0, 6))],
    }


def batch(r, records=150):
    return {
        "batch": identifier(r, 32),
        "source": r.choice(HOSTS),
        "version": 3,
        "opened": moment(r),
        "records": [event(r) for _ in range(records)],
        "closed": moment(r),
        "checksum": identifier(r, 64),
        "complete": True,
    }


def section(r):
    return {
        "title": phrase(r, 3, 8),
        "weight": round(r.uniform(0, 1), 4),
        "text": phrase(r, 30, 60),
        "samples": [r.randint(-1000, 100_000) for _ in range(r.randint(15, 35))],
        "levels": [round(r.uniform(-5, 5), 2) for _ in range(r.randint(8, 20))],
        "parts": [{"id": r.randint(1, 10_000), "kind": r.choice(KINDS), "ok": r.random() < 0.9}
                  for _ in range(r.randint(1, 4))],
        "author": dict(zip(("name", "email"), person(r))),
        "changed": moment(r),
        "public": r.random() < 0.5,
    }


def wide_object(r):
    return {"section_%04d" % i: section(r) for i in range(1000)}


# The workloads of msgpack-ruby's own benchmark: a line of a web server's log, whole and
# taken apart, and an ext value.
STRUCTURED = {
    "remote_host": "192.0.2.7",
    "remote_user": "frank",
    "date": "10/Oct/2026:13:55:36 +0200",
    "request": "GET /images/logo.gif HTTP/1.1",
    "method": "GET",
    "path": "/images/logo.gif",
    "protocol": "HTTP/1.1",
    "status": 200,
    "bytes": 2326,
    "referer": "http://www.example.net/start.html",
    "agent": "Mozilla/5.0 (X11; Linux)",
}
LOG_LINE = '{remote_host} - {remote_user} [{date}] "{request}" {status} {bytes} "{referer}" "{agent}"' \
    .format(**STRUCTURED)
WORKLOADS = {
    "plain": {"message": LOG_LINE},
    "structured": STRUCTURED,
    "extended": {"extended": msgpack.ExtType(0, b"\x80")},
}

SHAPES = {"S": flat_record, "M": order, "L": batch, "L2": lambda r: batch(r, 222),
          "XL": wide_object}


def documents(shape, count):
    """COUNT documents of a shape, the same ones on every call; of a workload, one over and over."""
    if shape in WORKLOADS:
        yield from [WORKLOADS[shape]] * count
        return
    for i in range(count):
        yield SHAPES[shape](random.Random("%s %d" % (shape, i)))


def packed(document):
    """A document's MessagePack bytes."""
    return msgpack.packb(document)


def main():
    shape, count = sys.argv[1], int(sys.argv[2])
    for document in documents(shape, count):
        data = packed(document)
        sys.stdout.buffer.write(struct.pack(">I", len(data)) + data)


if __name__ == "__main__":
    main()
