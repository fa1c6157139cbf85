"""What can be searched: every source that is part of this project, and how a collection of documents is described.

What is written here is known everywhere. The API refuses by it, a workflow chooses a search's queue and patience by it,
a worker polls and keeps the rate by it. A listed source is its entry here and the module that opens it; nothing else
names it. Collections of documents are named by whoever runs the server, so they are not listed.
"""

from collections.abc import Callable, Iterable
from typing import Final

from elcano.graphs.catalogue.source_spec import NAME, SourceLimits, SourcePolicy, SourceSpec
from elcano.graphs.errors import InputInvalid

DATABASE: Final = "database"
"""The kind of a source that is a database."""
_DOCUMENTS: Final = "elcano.activities.sources.documents.local_sources"
_LITERATURE: Final = "elcano.activities.sources.literature"
_WEB: Final = "elcano.activities.sources.web.opening"

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
            policy=SourcePolicy(),
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
            by_address=True,
            setting="ELCANO_WEB_PAGES",
            policy=SourcePolicy(seconds=120),
            opened_by=f"{_WEB}:open_page",
        ),
        SourceSpec(
            name="knowledge",
            kind="passages",
            description="Passages that earlier runs found, by what their reports said with them.",
            dated=True,
            setting="ELCANO_KNOWLEDGE",
            turned_on_by="tables",
            by_default=False,
            opened_by="elcano.activities.knowledge.source:open_source",
        ),
        SourceSpec(
            name="crawl",
            kind="pages",
            description="Up to 20 pages of one web site, from an address that is known and what it links to.",
            syntax="An address of the site, and after it the words that passages are to be about.",
            dated=True,
            by_address=True,
            setting="ELCANO_WEB_PAGES",
            limits=SourceLimits(side_by_side=2),
            policy=SourcePolicy(seconds=300, attempts=2),
            opened_by=f"{_WEB}:open_crawl",
        ),
    )
}
"""Every source but collections, by name."""


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
        opened_by=f"{_DOCUMENTS}:open_collection",
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
        opened_by="elcano.activities.sources.database:open_source",
    )


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
