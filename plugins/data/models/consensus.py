"""Results of parallel paths on their way to one table: what each path found, or why it found nothing."""

from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.report.tables import ResultDigest

MOST_PATHS: Final = 20
MOST_DISAGREEMENTS: Final = 200

DisagreementKind: TypeAlias = Literal["two_values", "key_twice", "missing"]
"""`two_values`: paths of one name, or columns that are no measure, say different things of one key. `key_twice`: one
path has two values for a key. `missing`: a path has no row for a key that another one has."""


class PathResult(Frozen):
    """What became of one path."""

    name: str = Field(min_length=1, max_length=200)
    """What it was asked about, as columns are called by it: `2023`. Two paths of one name were asked the same."""
    result: ResultDigest | None = None
    gap: str = Field(default="", max_length=2_000)
    """Why there is no result, in words: it was too slow, its query could not be repaired."""


class Disagreement(Frozen):
    """One thing that paths do not agree on."""

    kind: DisagreementKind
    key: tuple[str, ...] = ()
    """The values of the key columns; empty: there is but one row."""
    column: str = ""
    told: str
    """In a sentence."""


class ConsensusInput(Frozen):
    """Paths to be merged; the first that has a result is what the others are compared with."""

    paths: tuple[PathResult, ...] = Field(min_length=1, max_length=MOST_PATHS)
    keys: tuple[str, ...] = Field(default=(), max_length=20)
    """Columns by which rows belong together; empty: those that all paths have and that are no measures."""


class ConsensusOutput(Frozen):
    """One result of all paths."""

    result: ResultDigest | None = None
    """None: no path has a result."""
    disagreements: tuple[Disagreement, ...] = ()
    """At most 200."""
    disagreement_count: int = 0
    gaps: tuple[str, ...] = ()
    """Paths without a result, each in a sentence."""
    told: str = ""
    """What was merged and how it went, for whoever writes the answer."""
