"""How the sources of the web are made. Nothing is asked for by opening one."""

from elcano.activities.sources.http.fetching import Fetcher
from elcano.activities.sources.web.crawl import CrawlSource
from elcano.activities.sources.web.page import PageSource
from elcano.activities.sources.web.search_providers import list_configured_providers
from elcano.activities.sources.web.web import WebSource
from elcano.graphs.catalogue.source_spec import SourceSpec
from elcano.settings import Settings


def open_web(spec: SourceSpec, settings: Settings) -> WebSource:
    """Open the source of web pages, with the search engines that are configured."""
    fetcher = Fetcher(settings)
    return WebSource(spec, list_configured_providers(settings, fetcher), fetcher)


def open_page(spec: SourceSpec, settings: Settings) -> PageSource:
    """Single pages."""
    return PageSource(spec, Fetcher(settings))


def open_crawl(spec: SourceSpec, settings: Settings) -> CrawlSource:
    """Sites."""
    return CrawlSource(spec, Fetcher(settings))
