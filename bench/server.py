"""A connection to bench/run's server, and tables of documents on it."""

import json
import time
from collections import namedtuple

import msgpack
import psycopg

import real
from documents import documents

# Distinct documents in tables (None is all that there are); those of them that an expression is
# counted over, of which so many stand in one row (0: they stay where they are stored); its walks
# over all of them in one round; and at most so many rounds.
Plan = namedtuple("Plan", "count held packed walks rounds", defaults=[None])
PLANS = {"S": Plan(16000, 4000, 16, 20), "M": Plan(1600, 480, 2, 20),
         "L": Plan(96, 24, 1, 20), "XL": Plan(8, 4, 1, 10),
         "country": Plan(None, 250, 1, 20), "emoji": Plan(None, 1911, 1, 8),
         "feature": Plan(None, 1000, 1, 10), "city": Plan(None, 4000, 16, 10),
         "mdn": Plan(None, 1, 0, 1, 3), "cities": Plan(None, 1, 0, 1, 3)}
QUICK = {"S": Plan(320, 320, 16, 2), "M": Plan(40, 40, 2, 2), "L": Plan(4, 4, 1, 2),
         "XL": Plan(2, 2, 1, 1)}

MADE = ("S", "M", "L", "XL")
REAL = tuple(real.SHAPES)

# How often each document is stored where it is read out of line.
COPIES = 4

# {t} is the JSON text, {b} the bytes of MessagePack.
TYPES = {"t": "text", "j": "jsonb", "o": "json", "m": "msgpack", "b": "bytea"}
SOURCES = {"j": "t", "o": "t", "m": "b"}


class Server:
    """Documents of the shape SHAPE lie in tables doc_LETTER_SHAPE (id, doc), uncompressed."""

    def __init__(self, quick=False):
        self.plans = QUICK if quick else PLANS
        self.types = dict(TYPES)
        self.sources = dict(SOURCES)
        self.number = {}
        self.connection = psycopg.connect("", autocommit=True)
        self.schedule = "/proc/%d/schedstat" % self.connection.info.backend_pid
        self.execute("SET client_min_messages = warning")
        self.execute("CREATE EXTENSION IF NOT EXISTS mpk")

    def execute(self, sql):
        return self.connection.execute(sql)

    def value(self, sql):
        return self.execute(sql).fetchone()[0]

    def clock(self):
        """Seconds of processor time of the backend; of the wall where that is not told."""
        try:
            with open(self.schedule, encoding="ascii") as times:
                return int(times.read().split()[0]) / 1e9
        except OSError:
            return time.perf_counter()

    def seconds(self, sql):
        start = self.clock()
        self.execute(sql)
        return self.clock() - start

    def add_type(self, letter, name):
        """One more type, which reads JSON text; before the documents are loaded."""
        self.types[letter] = name
        self.sources[letter] = "t"

    # -- documents ------------------------------------------------------

    def load_shapes(self, shapes):
        """Load these; the list of those that could be, since real documents have to be fetched."""
        loaded = []
        for shape in shapes:
            if shape not in self.plans:		# quick
                continue
            try:
                self.load(shape)
                loaded.append(shape)
            except real.NotThere as error:
                print("    skipped: documents \"%s\": %s" % (shape, error))
        return loaded

    def load(self, shape):
        made = (real.documents(shape) if shape in REAL
                else documents(shape, self.plans[shape].count))
        rows = [(i, json.dumps(document, ensure_ascii=False), msgpack.packb(document))
                for i, document in enumerate(made)]
        self.number[shape] = len(rows)
        for letter, name in self.types.items():
            table = self.table(letter, shape)
            self.execute("CREATE UNLOGGED TABLE %s (id int, doc %s)" % (table, name))
            self.execute("ALTER TABLE %s ALTER doc SET STORAGE EXTERNAL" % table)
        for letter, column in (("t", 1), ("b", 2)):
            self.send(self.table(letter, shape), self.types[letter],
                      [(row[0], row[column]) for row in rows])
        for letter, source in self.sources.items():
            self.execute("INSERT INTO %s SELECT id, doc::%s FROM %s" % (
                self.table(letter, shape), self.types[letter], self.table(source, shape)))
        for letter in self.types:
            self.execute("VACUUM (ANALYZE, FREEZE) " + self.table(letter, shape))
            if self.plans[shape].packed > 1:
                self.pack(letter, shape)

    def send(self, table, name, rows):
        with self.connection.cursor().copy("COPY %s FROM STDIN (FORMAT binary)" % table) as copy:
            copy.set_types(["int4", name])
            for row in rows:
                copy.write_row(row)

    def pack(self, letter, shape):
        packed = self.plans[shape].packed
        table = self.packed_table(letter, shape)
        places = range(packed)
        self.execute("CREATE UNLOGGED TABLE %s (id int, %s)" % (
            table, ", ".join("%s%d %s" % (letter, i, self.types[letter]) for i in places)))
        for i in places:
            self.execute("ALTER TABLE %s ALTER %s%d SET STORAGE PLAIN" % (table, letter, i))
        self.execute("INSERT INTO %s SELECT id / %d, %s FROM %s WHERE id < %d GROUP BY id / %d" % (
            table, packed, ", ".join("(array_agg(doc ORDER BY id))[%d]" % (i + 1) for i in places),
            self.table(letter, shape), self.plans[shape].held, packed))
        self.execute("VACUUM (ANALYZE, FREEZE) " + table)

    def stored(self, letter, shape, storage, copies=1):
        """
        A table of the documents as they are stored when the column has that storage, made when
        it is first asked for: "plain", "external", or compressed by "pglz" or "lz4".
        """
        table = "%s_%s_%d" % (self.table(letter, shape), storage, copies)
        if self.value("SELECT to_regclass('%s')" % table) is None:
            self.execute("CREATE UNLOGGED TABLE %s (id int, doc %s)" % (table, self.types[letter]))
            self.execute("ALTER TABLE %s ALTER doc SET %s %s" % (
                table, "COMPRESSION" if storage in ("pglz", "lz4") else "STORAGE", storage))
            # through text, since what is compressed already, or not, is stored as it is
            self.execute("INSERT INTO %s SELECT copy, doc::text::%s FROM generate_series(1, %d) "
                         "copy, %s" % (table, self.types[letter], copies, self.table(letter, shape)))
            self.execute("VACUUM (ANALYZE, FREEZE) " + table)
        return table

    @staticmethod
    def table(letter, shape):
        return "doc_%s_%s" % (letter, shape)

    @staticmethod
    def packed_table(letter, shape):
        return "in_%s_%s" % (letter, shape)
