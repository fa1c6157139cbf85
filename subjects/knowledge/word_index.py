"""Nodes by their words: an index from each word to the nodes that have it, and a score by how rare the words are.

The table of words is the same wherever the nodes are; a graph in Apache AGE has it next to its labels.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import log
from typing import Final

from sqlalchemy import ColumnElement, Table, and_, delete, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from elcano.storage.sql.dialect import insert_new
from elcano.subjects.knowledge.graph import BATCH, NODE_KINDS, KnowledgeNode, NodeKind, node_id

COMMON: Final = 2_000
"""Nodes of one word that are looked at; of a word that more have, the first by their ids."""
ASKED: Final = 16
"""Words of a question that are looked up; the first, in its order."""


class WordIndex:
    """Which nodes of a tenant have which words."""

    def __init__(self, table: Table, tenant: str) -> None:
        self._table = table
        self._tenant = tenant

    async def add(self, connection: AsyncConnection, nodes: Sequence[KnowledgeNode]) -> None:
        """Stores the words of nodes. Earlier words of a node stay: they found it once."""
        rows = sorted(
            {(word, one.id) for one in nodes for word in extract_search_words(f"{one.name} {one.text} {one.key}")}
        )
        for start in range(0, len(rows), BATCH):
            batch = [{"tenant": self._tenant, "word": word, "node": id} for word, id in rows[start : start + BATCH]]
            await connection.execute(insert_new(connection, self._table), batch)

    async def drop(self, connection: AsyncConnection, ids: Sequence[str]) -> None:
        """Forgets the words of nodes that are gone."""
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            await connection.execute(delete(self._table).where(self._own, self._table.c.node.in_(batch)))

    async def drop_all(self, connection: AsyncConnection) -> None:
        """Forgets the words of all nodes of the tenant."""
        await connection.execute(delete(self._table).where(self._own))

    async def scores(
        self, connection: AsyncConnection, asked: str, kinds: Sequence[NodeKind], limit: int
    ) -> dict[str, float]:
        """The ids of the best nodes and their scores, the best first."""
        wanted = extract_search_words(asked)[:ASKED]
        seen = await self._counts(connection, wanted, kinds)
        total = max([1, *seen.values()])
        weights = {word: log(1 + 2 * total / (1 + seen.get(word, 0))) for word in wanted}
        found: dict[str, float] = defaultdict(float)
        for word in wanted:
            rows = select(self._table.c.node).where(self._of(word, kinds)).order_by(self._table.c.node).limit(COMMON)
            if seen.get(word):
                for id in await connection.scalars(rows):
                    found[id] += weights[word]
        whole = sum(weights.values()) or 1.0
        scores = {id: min(1.0, weight / whole) for id, weight in found.items()}
        scores |= dict.fromkeys((node_id(kind, asked.strip()) for kind in kinds or NODE_KINDS), 1.0)
        return dict(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[: limit + len(NODE_KINDS)])

    async def _counts(
        self, connection: AsyncConnection, wanted: Sequence[str], kinds: Sequence[NodeKind]
    ) -> Mapping[str, int]:
        """Count the nodes that have each word, as far as they are counted."""
        counts = {}
        for word in wanted:
            some = select(self._table.c.node).where(self._of(word, kinds)).limit(COMMON).subquery()
            counts[word] = await connection.scalar(select(func.count()).select_from(some)) or 0
        return counts

    @property
    def _own(self) -> ColumnElement[bool]:
        own: ColumnElement[bool] = self._table.c.tenant == self._tenant
        return own

    def _of(self, word: str, kinds: Sequence[NodeKind]) -> ColumnElement[bool]:
        """Rows of a word; a node's id begins with its kind, so the key of the table serves. `.` comes after `-`."""
        node = self._table.c.node
        kept = [and_(node >= f"{kind}-", node < f"{kind}.") for kind in kinds]
        of_word = and_(self._own, self._table.c.word == word)
        return and_(of_word, or_(*kept)) if kept else of_word


LONGEST: Final = 60
"""Characters of a word; what is longer is no word, and is kept by its beginning."""
MOST: Final = 200
"""Words of one node."""

_WORD: Final = re.compile(r"[^\W_]+(?:[-'\u2019.][^\W_]+)*")
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+")
_EMPTY_WORDS: Final = (
    "a an and are as at be been by did do does for from had has have how if in into is it its may not of on "
    "or than that the their then these this those to was were what when where which who why will with"
)
_EMPTY: Final = frozenset(_EMPTY_WORDS.split())
"""English words that say nothing of what a text is about."""


def extract_search_words(text: str) -> tuple[str, ...]:
    """The words of a text, each once, in its order, at most 200; of a word with a hyphen also its parts."""
    found: dict[str, None] = {}
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold()):
        for word in _list_word_forms(match.group()):
            if word not in _EMPTY:
                found.setdefault(_to_singular(word)[:LONGEST])
            if len(found) == MOST:
                return tuple(found)
    return tuple(found)


def _list_word_forms(word: str) -> list[str]:
    if _UNSPACED.fullmatch(word):
        return [word[at : at + 2] for at in range(max(1, len(word) - 1))]
    parts = re.split(r"[-'\u2019.]", word)
    return [word, *(part for part in parts if len(part) > 1)] if len(parts) > 1 else [word]


def _to_singular(word: str) -> str:
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes", "ses")):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word
