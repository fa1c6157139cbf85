"""Sources: what is known of one without opening it, and those that plugins add or the operator names.

What is written here is known everywhere. The API refuses by it, a workflow chooses a search's queue and patience by it,
a worker polls and keeps the rate by it. Collections of documents and databases are named by the operator; each kind has
a plugin that opens them.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final, Literal

from pydantic import Field, model_validator

from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen
from elcano.graphs.plugin import Registry, find_opener

LONGEST_QUERY: Final = 1_000
"""Characters; a tool's input allows no more."""
MOST_RESULTS: Final = 50
"""Passages of one search; a tool's input allows no more."""
DATABASE: Final = "database"
"""The kind of a source that is a database."""
NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""Pattern of a source's name."""
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]*(\[[^\[\]]+\])?")
NAME_IN_WORDS: Final = "1 to 64 small letters, digits, `_` and `-`, the first a letter or a digit"


class SourceLimits(Frozen):
    """The rate limits of a source's provider."""

    per_second: float | None = Field(default=None, gt=0)
    """Searches a second, of all workers together; None: as many as come."""
    per_second_with_key: float | None = Field(default=None, gt=0)
    """The same where the key is set; None: a key changes nothing."""
    side_by_side: int = Field(default=4, ge=1)
    """Searches that one worker has open at once."""
    results: int = Field(default=MOST_RESULTS, ge=1, le=MOST_RESULTS)
    """Passages per search; a request for more gets this many."""
    query_characters: int = Field(default=LONGEST_QUERY, ge=1, le=LONGEST_QUERY)
    """A longer query is cut between two words, with a warning."""


class SourcePolicy(Frozen):
    """Timeouts of searches of a source."""

    seconds: float = Field(default=60.0, gt=0)
    """Time limit of one attempt."""
    attempts: int = Field(default=4, ge=1)
    """Attempts before the run is held; it then retries itself."""
    queue_seconds: float = Field(default=600.0, gt=0)
    """Until a worker takes a search out of the source's queue; after that the run is held as well."""
    patience_seconds: float = Field(default=60.0, ge=0)
    """Seconds that a step is held for this source if another search of the step was answered; then the search has
    failed. A step of which nothing was answered is held for as long as the run may wait."""


class SourceSpec(Frozen):
    """All that is known of a source without opening it."""

    name: str = Field(pattern=f"^{NAME.pattern}(:{NAME.pattern})?$")
    """The name for graphs, agents and clients; its queue is named after it. One part of a source, such as a tenant's
    own collection, has the part's name behind a colon."""
    kind: str
    """Its content in a word: `documents`, `articles`, `trials`."""
    description: str
    """One sentence on its content, for people and for the tool selector."""
    syntax: str = ""
    """Query syntax in a sentence, for agents and people; empty: plain words."""
    texts: Literal["full text", "abstracts", "records"] = "full text"
    """The texts that its passages are parts of."""
    dated: bool = False
    """Whether its results have a publication date."""
    languages: tuple[str, ...] = ()
    """The languages of its texts, as `en`; empty: any."""
    filters: tuple[str, ...] = ()
    """Filters that a query in the source's own syntax can use, such as `years`; nothing else sets them."""
    key: str = ""
    """The variable of its key; empty: it has none."""
    needs_key: bool = False
    """Whether it cannot be searched without."""
    any_of: tuple[str, ...] = ()
    """Variables of which one at least has to be set, `NAME[entry]` for an entry of one that is a map; empty: none."""
    setting: str = ""
    """The variable that turns it on, as `ELCANO_TIDES_FILE`; empty: it is always on."""
    turned_on_by: str = "true"
    """Value to set that variable to: its value, or words for it such as `the path of the almanac`."""
    by_default: bool = True
    """Whether a run that names no sources searches it. False if a search reveals the question to an external server:
    people have to choose that."""
    by_address: bool = False
    """Whether a query begins with the address of a page: agents that plan searches then get the addresses that were
    found."""
    limits: SourceLimits = SourceLimits()
    policy: SourcePolicy | None = None
    """None: that of tools. Required of a source with a queue."""
    opened_by: str = ""
    """The absolute path of the function that opens it with this and the settings, `package.module:name`. Empty only for
    a source that a worker is handed open, as in tests."""

    @model_validator(mode="after")
    def _fits(self) -> "SourceSpec":
        if self.needs_key and not self.key:
            raise ValueError(f"source {self.name!r} needs a key, but names no variable for it")
        for name in filter(None, (self.setting, self.key, *self.any_of)):
            if not _VARIABLE.fullmatch(name):
                raise ValueError(f"source {self.name!r} names {name!r}, which is no variable: write it as ELCANO_NAME")
        if self.queue and self.policy is None:
            raise ValueError(f"source {self.name!r} has a queue, so it needs a policy")
        return self

    @property
    def purpose(self) -> str:
        """Describes the source to agents that plan searches."""
        return f"{self.description} Query: {self.syntax}" if self.syntax else self.description

    @property
    def queue(self) -> str:
        """The task queue of its searches: its own if it has a rate or needs a key, else empty, for the one of all.

        Workers without the key do not poll it.
        """
        own = self.needs_key or self.any_of or self.limits.per_second is not None
        return f"elcano-source-{self.name}" if own else ""

    def rate(self, has: Callable[[str], bool]) -> float | None:
        """Searches a second, where `has` says whether a variable is set."""
        with_key = self.limits.per_second_with_key
        return with_key if with_key is not None and has(self.key) else self.limits.per_second

    def missing(self, has: Callable[[str], bool]) -> str:
        """Explain the steps before it can be searched; empty if none."""
        if self.setting and not has(self.setting):
            return f"set {self.setting} to {self.turned_on_by}"
        if self.needs_key and not has(self.key):
            return f"set {self.key}"
        if self.any_of and not any(has(one) for one in self.any_of):
            return f"set one of {', '.join(map(_format_variable, self.any_of))}"
        return ""


def _format_variable(variable: str) -> str:
    """`NAME[entry]` as a person would say it."""
    name, _, entry = variable.partition("[")
    return f"{entry.removesuffix(']')!r} in {name}" if entry else name


SOURCES: Final[Registry[SourceSpec]] = Registry("sources", SourceSpec)
"""Every source but collections and databases, by name."""


def build_collection_spec(name: str, description: str = "") -> SourceSpec:
    """Build the specification of a collection of documents.

    Raises:
        InputInvalid: its name cannot be used.
    """
    if name in SOURCES:
        raise InputInvalid("collections", f"a collection cannot be called {name!r}: a source has that name")
    if not NAME.fullmatch(name):
        text = f"a collection cannot be called {name!r}: use up to 64 lower-case letters, digits, `_` and `-`"
        raise InputInvalid("collections", text)
    return SourceSpec(
        name=name,
        kind="documents",
        description=description or f"The documents of {name!r}.",
        opened_by=_require_opener("documents", "collections"),
    )


def build_database_spec(name: str) -> SourceSpec:
    """Build the specification of a database as a source.

    Raises:
        InputInvalid: a source has its name.
    """
    if name in SOURCES:
        raise InputInvalid("databases", f"a database cannot be called {name!r}: a source has that name")
    return SourceSpec(
        name=name,
        kind=DATABASE,
        description=f"The tables of the database {name!r}: figures, counts and lists.",
        syntax="One whole question in English, with the words of its tables and columns.",
        texts="records",
        languages=("en",),
        by_default=False,
        limits=SourceLimits(results=1),
        opened_by=_require_opener(DATABASE, "databases"),
    )


def _require_opener(kind: str, field: str) -> str:
    if (opener := find_opener(kind)) is None:
        raise InputInvalid(
            field, f"ELCANO_{field.upper()} names sources of the kind {kind!r}, which no plugin opens here"
        )
    return opener


def list_configured_sources(
    collections: Iterable[str], has: Callable[[str], bool], databases: Iterable[str] = ()
) -> dict[str, SourceSpec]:
    """Return every source that a server may offer, by name: collections, databases, then listed sources turned on.

    Args:
        collections: the names that the settings give to folders.
        databases: the names that they give to databases, which come after the collections.
        has: whether a variable is set and not false.

    Raises:
        InputInvalid: the name of a collection or of a database cannot be used.
    """
    folders = {name: build_collection_spec(name) for name in collections}
    tables = [build_database_spec(name) for name in databases]
    if twice := [spec.name for spec in tables if spec.name in folders]:
        raise InputInvalid("databases", f"a database cannot be called {twice[0]!r}: a collection has that name")
    listed = (spec for spec in SOURCES.values() if not spec.setting or has(spec.setting))
    return {spec.name: spec for spec in (*folders.values(), *tables, *listed)}
