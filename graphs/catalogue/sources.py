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
_LITERATURE: Final = "elcano.activities.sources.literature"
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
    by_default: bool = True
    """Whether a run that names no sources searches it. Not so where a search tells somebody else's server what is
    asked: that is for people to choose."""
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
            name="pubmed",
            kind="articles",
            description="Abstracts of biomedical and health literature, with retractions and corrections noted.",
            syntax='Plain words, or PubMed\'s own: `"phrase"`, `AND`, `OR`, `NOT`, fields as `asthma[mesh]`, '
            "`2020:2024[dp]`, `systematic[sb]`, `randomized controlled trial[pt]`.",
            texts="abstracts",
            dated=True,
            languages=("en",),
            filters=("years", "publication type", "language"),
            key="NCBI_API_KEY",
            # NCBI allows 3 requests a second, 10 with a key (KA-05317, KA-05318). A search makes 2, or 3 if nothing
            # has all its words; with 2 to 3 a second there is room for what comes at once.
            limits=SourceLimits(per_second=0.9, per_second_with_key=3.0, side_by_side=2),
            policy=SourcePolicy(seconds=100),
            by_default=False,
            opened_by=f"{_LITERATURE}.pubmed.source:open_source",
        ),
        SourceSpec(
            name="europe-pmc",
            kind="articles",
            description="Life-science articles and preprints, with passages from the full text of open-access ones.",
            syntax='Plain words, or its own: `"phrase"`, `AND`, `OR`, `NOT`, `TITLE:malaria`, `AUTH:"Smith J"`, '
            "`PUB_YEAR:[2020 TO 2024]`, `SRC:PPR` for preprints, `OPEN_ACCESS:Y`.",
            dated=True,
            filters=("years", "preprints", "open access"),
            # No limit is published; one request at a time is safe. A search makes 1 to 5, one after the other.
            limits=SourceLimits(per_second=0.5, side_by_side=1),
            policy=SourcePolicy(seconds=160),
            by_default=False,
            opened_by=f"{_LITERATURE}.europe_pmc.source:open_source",
        ),
        SourceSpec(
            name="clinical-trials",
            kind="trials",
            description="Registered clinical studies: design, eligibility, outcomes, status, and results where posted.",
            syntax='Plain words, or the registry\'s own: `"phrase"`, `AND`, `OR`, `NOT`, `AREA[Phase]PHASE3`, '
            "`AREA[OverallStatus]COMPLETED`; or the number of a study, as `NCT00763412`.",
            texts="records",
            dated=True,
            languages=("en",),
            filters=("phase", "status", "condition", "intervention"),
            # No limit is published; its robots.txt asks for a second between two requests (API Evangelist,
            # clinical-trials-gov rate limits, 2026-09-06). A search makes 1 request, or 2.
            limits=SourceLimits(per_second=0.5, side_by_side=1),
            policy=SourcePolicy(seconds=70),
            by_default=False,
            opened_by=f"{_LITERATURE}.clinical_trials.source:open_source",
        ),
        SourceSpec(
            name="semantic-scholar",
            kind="articles",
            description="Abstracts of papers of all sciences, with how often each is cited.",
            texts="abstracts",
            dated=True,
            languages=("en",),
            key="SEMANTIC_SCHOLAR_API_KEY",
            # 1 request a second with a key; without one a pool that everybody shares and which may be empty at any time
            # (API Evangelist, Semantic Scholar rate limits, 2026-06). A search is one request.
            limits=SourceLimits(per_second=0.3, per_second_with_key=0.9, side_by_side=1, query_characters=300),
            policy=SourcePolicy(attempts=6),
            by_default=False,
            opened_by=f"{_LITERATURE}.semantic_scholar:open_source",
        ),
        SourceSpec(
            name="openalex",
            kind="articles",
            description="Scholarly works of all fields with their abstracts, citations and retractions (OpenAlex).",
            syntax='Few plain words, all of which should be there; "..." for a phrase; AND, OR, NOT and brackets.',
            texts="abstracts",
            dated=True,
            key="OPENALEX_API_KEY",
            by_default=False,
            # 100 requests a second are allowed ("Authentication & Pricing", developers.openalex.org, November 2026);
            # what is scarce is the credit of a day, ten to a hundred searches without a key, a thousand with one.
            limits=SourceLimits(per_second=1, per_second_with_key=10),
            policy=SourcePolicy(seconds=70),
            opened_by=f"{_LITERATURE}.openalex.source:open_source",
        ),
        SourceSpec(
            name="crossref",
            kind="articles",
            description="Works with a DOI as their publishers describe them, corrections and retractions included "
            "(Crossref); only those with an abstract are found.",
            syntax="Plain words, also of authors, titles, journals and years; no operators.",
            texts="abstracts",
            dated=True,
            by_default=False,
            # No figure is published: the limits of each pool are told in headers, and there is one on requests at the
            # same time ("Access and authentication", crossref.org). So few, and one at a time.
            limits=SourceLimits(per_second=2, side_by_side=1),
            policy=SourcePolicy(),
            opened_by=f"{_LITERATURE}.crossref.source:open_source",
        ),
        SourceSpec(
            name="arxiv",
            kind="preprints",
            description="Preprints in physics, mathematics, computer science, statistics, quantitative biology and "
            "economics, with their abstracts (arXiv).",
            syntax='Up to four plain words, all of which have to be there, and "..." for a phrase; or fields with '
            "AND, OR, ANDNOT, as in ti:transformer AND cat:cs.CL; or one arXiv id.",
            texts="abstracts",
            dated=True,
            filters=("author", "title", "category", "date"),
            by_default=False,
            # One request every three seconds over one connection ("Terms of Use for arXiv APIs", info.arxiv.org).
            limits=SourceLimits(per_second=0.33, side_by_side=1),
            policy=SourcePolicy(),
            opened_by=f"{_LITERATURE}.arxiv.source:open_source",
        ),
        SourceSpec(
            name="wikipedia",
            kind="encyclopedia",
            description="Articles of Wikipedia, for what is settled: terms, people, places, overviews.",
            syntax="Plain words; a language and a colon before them asks its edition, as in de: Wale, else the English "
            "one is asked.",
            dated=True,
            by_default=False,
            # No figure is published; requests shall come one after another ("API:Etiquette", mediawiki.org). A search
            # takes two to eight.
            limits=SourceLimits(per_second=0.5, side_by_side=1, query_characters=300),
            policy=SourcePolicy(seconds=120),
            opened_by=f"{_LITERATURE}.wikipedia.source:open_source",
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
