"""The statements of the evidence store, built once.

Building a statement takes a program longer than its database takes to answer.
"""

from typing import Final

from sqlalchemy import ColumnElement, Subquery, bindparam, func, select

from elcano.storage.sql.dialect import in_run_range
from elcano.storage.sql.tables import evidence as passages
from elcano.storage.sql.tables import findings
from elcano.storage.sql.tables import texts as stored_texts


def select_first_places(*of_run: ColumnElement[bool]) -> Subquery:
    """Each passage among findings, with the place where it was found first."""
    first = func.min(findings.c.position).label("position")
    return select(findings.c.evidence_id, first).where(*of_run).group_by(findings.c.evidence_id).subquery()


_OWN: Final = passages.c.tenant == bindparam("tenant")
_NAMED: Final = passages.c.id.in_(bindparam("ids", expanding=True))
_COLUMNS: Final = [column for column in passages.c if column.name != "tenant"]
PASSAGES: Final = select(*_COLUMNS).where(_OWN, _NAMED)
PLACES: Final = select(passages.c.id, passages.c.work, passages.c.content_hash, passages.c.start, passages.c.end).where(
    _OWN, _NAMED
)
TEXTS: Final = select(*(column for column in stored_texts.c if column.name != "tenant")).where(
    stored_texts.c.tenant == bindparam("tenant"), stored_texts.c.content_hash.in_(bindparam("hashes", expanding=True))
)
FOUND: Final = select_first_places(findings.c.tenant == bindparam("tenant"), in_run_range(findings.c.run_id))
POSITIONS: Final = select(FOUND)
FIRST_FOUND: Final = POSITIONS.order_by(FOUND.c.position)
OF_RUN: Final = (
    select(*_COLUMNS).join(FOUND, FOUND.c.evidence_id == passages.c.id).where(_OWN).order_by(FOUND.c.position)
)
NUMBERED_PASSAGES: Final = PASSAGES.add_columns(FOUND.c.position).outerjoin(FOUND, FOUND.c.evidence_id == passages.c.id)
