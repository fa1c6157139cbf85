"""The open web as sources: web search, single pages, and web sites."""

from typing import Final

from elcano.graphs.catalogue.sources import SourceLimits, SourcePolicy, SourceSpec

_PACKAGE: Final = "elcano.subjects.web"

SOURCES: Final = (
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
        opened_by=f"{_PACKAGE}.opening:open_web",
    ),
    SourceSpec(
        name="page",
        kind="pages",
        description="Pages or PDFs of the web whose addresses are known, up to five at once, read in full.",
        syntax="An address, and after it the words that its passages are to be about, if not all of it is wanted.",
        dated=True,
        by_address=True,
        setting="ELCANO_WEB_PAGES",
        policy=SourcePolicy(seconds=120),
        opened_by=f"{_PACKAGE}.opening:open_page",
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
        opened_by=f"{_PACKAGE}.opening:open_crawl",
    ),
)
