#!/usr/bin/python3
"""SQLAlchemy with psycopg2: a column type that gives native objects, as doc/clients.md shows it."""

import msgpack

# [type]
from sqlalchemy import LargeBinary, cast, func
from sqlalchemy.types import UserDefinedType


class MessagePack(UserDefinedType):
    """Written as bytea and read as bytea, whatever the driver makes of other types."""

    cache_ok = True

    def get_col_spec(self, **_):
        return "msgpack"

    def bind_expression(self, bindvalue):
        return func.msgpack(cast(bindvalue, LargeBinary), type_=self)

    def column_expression(self, column):
        return func.bytea(column, type_=self)

    def bind_processor(self, dialect):
        return lambda value: None if value is None else msgpack.packb(value, datetime=True)

    def result_processor(self, dialect, coltype):
        return lambda data: None if data is None else msgpack.unpackb(
            data, strict_map_key=False, timestamp=3)
# [/type]


import sqlalchemy		# noqa: E402
from sqlalchemy import Column, Integer, create_engine, select		# noqa: E402
from sqlalchemy.orm import Session, declarative_base		# noqa: E402

from libclients import Report		# noqa: E402

EVENT = {"id": 7, "tags": ["a", "b"], "raw": b"\x00\xff", 5: None}

# [model]
Base = declarative_base()


class Event(Base):
    __tablename__ = "events"
    id = Column(Integer, primary_key=True)
    doc = Column(MessagePack)
# [/model]


def main():
    report = Report()
    engine = create_engine("postgresql+psycopg2://")
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        # [use]
        session.add_all([Event(id=1, doc=EVENT), Event(id=2, doc=[1, 2]), Event(id=3, doc=None)])
        session.commit()
        event = session.execute(
            select(Event).where(Event.doc.op("@>")({"tags": ["b"]}))).scalar_one()
        # [/use]
        report.equal(event.doc, EVENT, "a native object")
        report.equal(session.get(Event, 2).doc, [1, 2], "an array")
        report.equal(session.get(Event, 3).doc, None, "NULL")
        event.doc = {"changed": True}
        session.commit()
        report.equal(session.get(Event, 1).doc, {"changed": True}, "after an UPDATE")
        found = session.execute(sqlalchemy.text("SELECT doc::bytea FROM events ORDER BY id")).scalars()
        report.equal([None if b is None else bytes(b) for b in found],
                     [msgpack.packb({"changed": True}), b"\x92\x01\x02", None], "the bytes")
    report.finish("SQLAlchemy " + sqlalchemy.__version__)


main()
