"""What the Python clients' tests share."""

import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))

with open(os.path.join(FOLDER, "documents.hex"), encoding="ascii") as lines:
    DOCUMENTS = [bytes.fromhex(line) for line in lines]

PREPARE = "DROP TABLE IF EXISTS docs; CREATE TABLE docs (id int, doc msgpack)"


class Report:
    """Counts checks, and says which failed."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, *what):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED:", *what, flush=True)

    def equal(self, got, want, *what):
        self.check(got == want, *what, "\n    got ", repr(got), "\n    want", repr(want))

    def finish(self, client):
        print(client)
        print("%d passed, %d failed" % (self.passed, self.failed))
        sys.exit(self.failed > 0 or not self.passed)
