"""What can be searched: every source that is part of this project, and how a collection of documents is described.

What is written here is known everywhere. The API refuses by it, a workflow chooses a search's queue and patience by it,
a worker polls and keeps the rate by it. A listed source is its entry here and the module that opens it; nothing else
names it. Collections of documents are named by whoever runs the server, so they are not listed.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final, Literal

from pydantic import Field, model_validator

from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen

LONGEST_QUERY: Final = 1_000
"""Characters; a tool's input allows no more."""
MOST_RESULTS: Final = 50
"""Passages of one search; a tool's input allows no more."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_DOCUMENTS: Final = "elcano.activities.sources.documents.opening"
_WEB: Final = "elcano.activities.sources.web.opening"


class SourceLimits(Frozen):
    """What a source's provider allows."""

    per_second: float | None = Field(default=None, gt=0)
    """Searches a second, of all workers together; None: as many as come."""
    per_second_with_key: float | None = Field(default=None, gt=0)
    """The same where the key is set; None: a key changes nothing."""
    side_by_side: int = Field(default=4, ge=1)
    """Searches that one worker has open at once."""
    results: int = Field(default=MOST_RESULTS, ge=1, le=MOST_RESULTS)
    """Passages of one search; who wants more gets so many."""
    query_characters: int = Field(default=LONGEST_QUERY, ge=1, le=LONGEST_QUERY)
    """A longer query is cut between two words, with a warning."""


class SourcePolicy(Frozen):
    """How long a search of a source is waited for."""

    seconds: float = Field(default=60.0, gt=0)
    """One attempt."""
    attempts: int = Field(default=4, ge=1)
    """Until the run is told; after that it is held, and tries again itself."""
    queue_seconds: float = Field(default=600.0, gt=0)
    """Until a worker takes a search out of the source's queue; after that the run is held as well."""
    patience_seconds: float = Field(default=300.0, ge=0)
    """How long a step is held for this source if another search of the step was answered; then the search has failed.
    A step of which nothing was answered is held for as long as the run may wait."""


class SourceSpec(Frozen):
    """All that is known of a source without opening it."""

    name: str = Field(pattern=f"^{_NAME.pattern}$")
    """What graphs, agents and clients call it; its queue is called after it."""
    kind: str
    """What is found there, in a word: `documents`, `articles`, `trials`."""
    description: str
    """One sentence on what can be found here, for people and for the tool selector."""
    syntax: str = ""
    """How a query is written, in a sentence, for agents and people; empty: plain words."""
    texts: Literal["full text", "abstracts", "records"] = "full text"
    """What a passage is a part of."""
    dated: bool = False
    """Whether what it finds says when it was published."""
    languages: tuple[str, ...] = ()
    """Of the texts, as `en`; empty: any."""
    filters: tuple[str, ...] = ()
    """What a query in the source's own words can narrow by, as `years`; nothing else sets them."""
    key: str = ""
    """The variable of its key; empty: it has none."""
    needs_key: bool = False
    """Whether it cannot be searched without."""
    any_of: tuple[str, ...] = ()
    """Variables of which one at least has to be set, `NAME[entry]` for an entry of one that is a map; empty: none."""
    setting: str = ""
    """The variable of ours that turns it on; empty: it is always on."""
    limits: SourceLimits = SourceLimits()
    policy: SourcePolicy | None = None
    """None: that of tools. Required of a source with a queue."""
    opened_by: str = ""
    """`module:function` that makes it from this and the settings; empty: `open_source` of the module of its name in
    `activities/sources/`."""

    @model_validator(mode="after")
    def _fits(self) -> "SourceSpec":
        if self.needs_key and not self.key:
            raise ValueError(f"source {self.name!r} needs a key, but names no variable for it")
        if self.queue and self.policy is None:
            raise ValueError(f"source {self.name!r} has a queue, so it needs a policy")
        return self

    @property
    def told(self) -> str:
        """What whoever plans searches is told of it."""
        return f"{self.description} Query: {self.syntax}" if self.syntax else self.description

    @property
    def queue(self) -> str:
        """The task queue of its searches: its own if it has a rate or needs a key, else empty, for the one of all.

        Workers without the key do not poll it.
        """
        own = self.needs_key or self.any_of or self.limits.per_second is not None
        return f"elcano-source-{self.name}" if own else ""

    @property
    def opener(self) -> str:
        """`module:function`, spelled out."""
        return self.opened_by or f"elcano.activities.sources.{self.name.replace('-', '_')}:open_source"

    def rate(self, has: Callable[[str], bool]) -> float | None:
        """Searches a second, where `has` tells of a variable whether it is set."""
        with_key = self.limits.per_second_with_key
        return with_key if with_key is not None and has(self.key) else self.limits.per_second

    def missing(self, has: Callable[[str], bool]) -> str:
        """What has to be done before it can be searched; empty if nothing."""
        if self.setting and not has(self.setting):
            return f"set {self.setting} to true"
        if self.needs_key and not has(self.key):
            return f"set {self.key}"
        if self.any_of and not any(has(one) for one in self.any_of):
            return f"set one of {', '.join(map(_spoken, self.any_of))}"
        return ""


SOURCES: Final[dict[str, SourceSpec]] = {
    spec.name: spec
    for spec in (
        SourceSpec(
            name="packages",
            kind="documents",
            description="What the installed Python packages say of themselves.",
            setting="ELCANO_PACKAGE_READMES",
            opened_by=f"{_DOCUMENTS}:open_packages",
        ),
        SourceSpec(
            name="web",
            kind="pages",
            description="Pages and PDFs of the open web, found by a search engine and read in full.",
            syntax="Plain words, as for any search engine; no operators.",
            dated=True,
            any_of=(
                "ELCANO_SERVICE_URLS[searxng]",
                "BRAVE_API_KEY",
                "TAVILY_API_KEY",
                "EXA_API_KEY",
                "SERPER_API_KEY",
            ),
            # One a second is what the slowest plan of a provider allows (Brave's older free keys); 400 characters are
            # what Brave takes.
            limits=SourceLimits(per_second=1, query_characters=400),
            policy=SourcePolicy(seconds=180),
            opened_by=f"{_WEB}:open_web",
        ),
        SourceSpec(
            name="page",
            kind="pages",
            description="One page or PDF of the web whose address is known, read in full.",
            syntax="An address, and after it the words that its passages are to be about, if not all of it is wanted.",
            dated=True,
            setting="ELCANO_WEB_PAGES",
            policy=SourcePolicy(seconds=120),
            opened_by=f"{_WEB}:open_page",
        ),
        SourceSpec(
            name="crawl",
            kind="pages",
            description="Up to 20 pages of one web site, from an address that is known and what it links to.",
            syntax="An address of the site, and after it the words that passages are to be about.",
            dated=True,
            setting="ELCANO_WEB_PAGES",
            limits=SourceLimits(side_by_side=2),
            policy=SourcePolicy(seconds=300, attempts=2),
            opened_by=f"{_WEB}:open_crawl",
        ),
    )
}
"""Every source but collections, by name."""


def collection(name: str, description: str = "") -> SourceSpec:
    """What is known of a collection of documents.

    Raises:
        InputInvalid: its name cannot be used.
    """
    if name in SOURCES:
        raise InputInvalid("collections", f"a collection cannot be called {name!r}: a source has that name")
    if not _NAME.fullmatch(name):
        text = f"a collection cannot be called {name!r}: use up to 64 lower-case letters, digits, `_` and `-`"
        raise InputInvalid("collections", text)
    return SourceSpec(
        name=name,
        kind="documents",
        description=description or f"The documents of {name!r}.",
        opened_by=f"{_DOCUMENTS}:open_collection",
    )


def configured(collections: Iterable[str], has: Callable[[str], bool]) -> dict[str, SourceSpec]:
    """Every source that a server may offer, by name: its collections first, then what is listed and turned on.

    Args:
        collections: the names that the settings give to folders.
        has: whether a variable is set and not false.

    Raises:
        InputInvalid: a collection's name cannot be used.
    """
    named = (collection(name) for name in collections)
    listed = (spec for spec in SOURCES.values() if not spec.setting or has(spec.setting))
    return {spec.name: spec for spec in (*named, *listed)}


def _spoken(variable: str) -> str:
    """`NAME[entry]` as a person would say it."""
    name, _, entry = variable.partition("[")
    return f"{entry.removesuffix(']')!r} in {name}" if entry else name
