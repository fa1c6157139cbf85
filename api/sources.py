"""Sources: what can be searched here, the status of each, and whether it finds anything.

A collection whose folder holds no document is shown as empty, as far as the folder can be seen from here; where only a
worker has the folder, nothing is held against it.
"""

import asyncio
import os
from pathlib import Path, PurePosixPath
from typing import Final, Literal, TypeAlias

from fastapi import APIRouter
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.graphs.catalogue.sources import LONGEST_QUERY, MOST_RESULTS, SourceSpec
from elcano.graphs.providers import Provider, SourceCheck, SourceChecked, get_provider_state
from elcano.service.errors import (
    SourceCheckFailed,
    SourceClosed,
    SourceNotFound,
    StoreUnavailable,
    TemporalRefused,
    TemporalUnavailable,
)
from elcano.service.fields import Described, Moment, Request, Spoken
from elcano.service.source_survey import SourceCatalogue, add_own_sources, choose_sources, survey_sources
from elcano.service.temporal.workers import Workers
from elcano.settings.settings import Settings

SourceState: TypeAlias = Literal[
    "ready", "search_failed", "needs_key", "off", "empty", "unserved", "waiting", "failing", "trial"
]
ProviderState: TypeAlias = tuple[Provider, float]
"""A provider and the time of the store."""


class SourceView(Described):
    """A source: its contents, its provider's limits, and whether it can be searched now."""

    name: str = Field(examples=["handbook"])
    """Pass it in `sources`."""
    kind: str = Field(examples=["documents"])
    """The kind of its content."""
    description: str = Field(examples=["The documents of 'handbook'."])
    """One sentence on it."""
    texts: Literal["full text", "abstracts", "records"] = Field(examples=["full text"])
    """The texts that its passages are parts of."""
    dated: bool = Field(examples=[False])
    """Whether its results have a publication date."""
    languages: tuple[str, ...] = Field(examples=[["en"]])
    """The languages of its texts; empty: any."""
    filters: tuple[str, ...] = Field(examples=[["years"]])
    """Filters that a query in its own syntax can use."""
    key: str = Field(examples=[""])
    """The variable of its key; empty: it has none."""
    needs_key: bool = Field(examples=[False])
    """Whether it cannot be searched without its key."""
    per_second: float | None = Field(examples=[None])
    """Searches a second of all runs together; null: as many as come."""
    per_second_with_key: float | None = Field(examples=[None])
    """The same where its key is set; null: a key changes nothing."""
    results: int = Field(examples=[50])
    """Passages of one search at most."""
    query_characters: int = Field(examples=[1_000])
    """A longer query is cut."""
    ready: bool = Field(examples=[True])
    """Whether it can be searched now. A run may name one that only waits or fails; it is held until that is over."""
    default: bool = Field(examples=[True])
    """Whether it is searched by a run whose request names no sources. Modes that question databases take all of these;
    `auto` does where there is no other source but the readmes of packages."""
    missing: str = Field(examples=[""])
    """Missing setting or extra; empty if nothing is missing."""
    state: SourceState = Field(examples=["ready"])
    """`needs_key`, `off` (by its setting), `empty` (a folder without documents) and `unserved` (no worker searches it)
    need the operator, as `missing` says. `search_failed`: its last search did, as `last_error` says, and the next one
    is made as usual. `waiting`: it asked to be left alone until `until`. `failing`: it failed several times in a row,
    and is left alone until then. `trial`: single searches probe whether it is back."""
    until: Moment | None = Field(default=None, examples=[None])
    """When it is searched again; null: it is not waited for."""
    since: Moment | None = Field(default=None, examples=[None])
    """Since when it fails, or waits; null: it does not."""
    last_error: str = Field(default="", examples=["pubmed: HTTP 429 Too Many Requests"])
    """Its last error, in any run; empty if it never failed."""
    last_error_at: Moment | None = Field(default=None, examples=[None])
    """When that was."""

    @classmethod
    def of(
        cls,
        spec: SourceSpec,
        missing: str,
        lack: SourceState = "needs_key",
        *,
        default: bool = False,
        state: ProviderState | None = None,
    ) -> "SourceView":
        """A source that lacks what `missing` says, which is called `lack`; or whose status is that of its provider."""
        provider, now = state or (Provider(), 0.0)
        how: SourceState = lack if missing else get_provider_state(provider, now)
        if how == "ready" and provider.failures:
            how = "search_failed"
        troubled = how in ("search_failed", "waiting", "failing", "trial")
        return cls.from_record(
            spec,
            needs_key=spec.needs_key,
            per_second=spec.limits.per_second,
            per_second_with_key=spec.limits.per_second_with_key,
            results=spec.limits.results,
            query_characters=spec.limits.query_characters,
            ready=how in ("ready", "search_failed", "trial"),
            default=default,
            missing=missing,
            state=how,
            until=provider.held_until if provider.held_until > now else None,
            since=provider.since if troubled and provider.since else None,
            last_error=provider.error,
            last_error_at=provider.error_at or None,
        )


class CheckRequest(Request):
    """A search of one source that belongs to no run."""

    query: Spoken = Field(max_length=LONGEST_QUERY, examples=["aspirin preeclampsia"])
    """Query in the source's own syntax."""
    limit: int = Field(default=5, ge=1, le=MOST_RESULTS)
    """Passages at most."""


class PassageView(Described):
    """A passage that a check found."""

    title: str = Field(examples=["Aspirin versus placebo"])
    """The title of its text."""
    locator: str = Field(examples=["https://pubmed.ncbi.nlm.nih.gov/28657417/"])
    """URL, or path and page."""
    excerpt: str
    """Its beginning."""


class CheckView(Described):
    """The results of a source check. They are not stored."""

    source: str = Field(examples=["handbook"])
    """Its name."""
    query: str
    """The query as sent: a source may accept less."""
    passages: tuple[PassageView, ...]
    """Best first; empty: it answered, and found nothing."""
    warnings: tuple[str, ...]
    """Parts that could not be searched, each with the reason."""
    seconds: float = Field(examples=[0.8])
    """For the search alone, without waiting for its turn."""

    @classmethod
    def of(cls, source: str, found: SourceChecked) -> "CheckView":
        """Build the view from a worker's result."""
        return cls.from_record(found, source=source)


DOCUMENT_SUFFIXES: Final = frozenset(
    [
        ".txt",
        ".text",
        ".md",
        ".markdown",
        ".rst",
        ".html",
        ".htm",
        ".xhtml",
        ".csljson",
        ".pdf",
        ".png",
        ".jpg",
        ".jpeg",
        ".tif",
        ".tiff",
        ".docx",
        ".docm",
        ".dotx",
        ".dotm",
        ".odt",
        ".ott",
        ".fodt",
        ".pptx",
        ".pptm",
        ".ppsx",
        ".xlsx",
        ".xlsm",
        ".xltx",
        ".odp",
        ".otp",
        ".ods",
        ".csv",
        ".tsv",
        ".epub",
        ".eml",
        ".mbox",
        ".mht",
        ".mhtml",
        ".jats",
        ".nxml",
        ".tei",
        ".xml",
        ".ipynb",
        ".tex",
        ".latex",
        ".ltx",
    ]
)
"""The suffixes of documents; their readers are a plugin, which the API runs without."""
MOST_ENTRIES: Final = 10_000
"""Entries of a folder searched for its first document; a larger folder without one is not reported as empty."""


def empty_collections(settings: Settings) -> dict[str, str]:
    """By name the collections without a document, each with what to do."""
    return {
        name: "there is no document in its folder: add files (PDF, DOCX, PPTX, XLSX, HTML, Markdown and others), or "
        "correct ELCANO_COLLECTIONS"
        for name, folder in settings.collections.items()
        if _is_empty(folder)
    }


def _is_empty(folder: Path) -> bool:
    """Whether a folder that can be read has no file of a known kind below it; links are not followed."""
    if not os.access(folder, os.R_OK | os.X_OK) or not folder.is_dir():
        return False
    seen = 0
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if any(_is_document(Path(path, name)) for name in files):
            return False
        seen += len(folders) + len(files)
        if seen > MOST_ENTRIES:
            return False
    return True


def _is_document(file: Path) -> bool:
    known = PurePosixPath(file.name).suffix.lower() in DOCUMENT_SUFFIXES
    return known and not file.name.startswith(".") and not file.is_symlink()


READ = (requires("read_catalogue"),)

router = APIRouter(prefix="/v1/sources", tags=["sources"], responses=problem_docs(StoreUnavailable))


@router.get("", dependencies=READ)
async def list_sources(services: Provided) -> list[SourceView]:
    """List the sources that there are, with what they can do, what they allow, what they lack and how they stand."""
    sources = await add_own_sources(services.sources, services.store)
    return await _build_source_views(list(sources.specs.values()), sources, services)


@router.get("/{name}", dependencies=READ, responses=problem_docs(SourceNotFound))
async def get_source(name: str, services: Provided) -> SourceView:
    """Read one source."""
    sources = await add_own_sources(services.sources, services.store)
    (shown,) = await _build_source_views([sources.get(name)], sources, services)
    return shown


@router.post(
    "/{name}/check",
    dependencies=[requires("check_source")],
    responses=problem_docs(
        SourceClosed,
        SourceNotFound,
        SourceCheckFailed,
        TemporalRefused,
        TemporalUnavailable,
    ),
)
async def check_source(name: str, request: CheckRequest, services: Provided) -> CheckView:
    """Search one source once, through a worker, for at most 30 seconds; nothing of it is kept."""
    sources = await add_own_sources(services.sources, services.store)
    spec = sources.get(name)
    survey = await survey_sources(sources, services.temporal.workers, services.settings)
    lack = services.sources.missing[name] if name in services.sources.off else survey.lacks[name]
    if why := lack or await _explain_unserved_source(spec, services.temporal.workers):
        raise SourceClosed(f"the source {name!r} cannot be searched: {why}")
    queue = spec.queue or services.temporal.task_queue
    check = SourceCheck(source=name, queue=queue, query=request.query, limit=request.limit, tenant=services.tenant)
    return CheckView.of(name, await services.temporal.looks.check_source(check))


async def _explain_unserved_source(spec: SourceSpec, workers: Workers) -> str:
    """Explain why no worker would search it now: its queue has no poller or is unknown; empty for the shared queue."""
    if not spec.queue:
        return ""
    try:
        return await workers.find_queue_fault(spec.queue)
    except (TemporalUnavailable, TemporalRefused) as error:
        return str(error)


async def _build_source_views(
    specs: list[SourceSpec], sources: SourceCatalogue, services: Services
) -> list[SourceView]:
    empty = await run_in_threadpool(empty_collections, services.settings)
    survey, idle, (providers, now) = await asyncio.gather(
        survey_sources(sources, services.temporal.workers, services.settings),
        asyncio.gather(*(_explain_unserved_source(spec, services.temporal.workers) for spec in specs)),
        services.providers.all(),
    )
    default = choose_sources(None, None, survey, services.settings)
    views = []
    for spec, why in zip(specs, idle, strict=True):
        if spec.name in services.sources.off:
            views.append(SourceView.of(spec, services.sources.missing[spec.name], "off"))
        elif lack := survey.lacks[spec.name]:
            views.append(SourceView.of(spec, lack, "needs_key"))
        elif nothing := empty.get(spec.name):
            views.append(SourceView.of(spec, nothing, "empty", default=spec.name in default))
        else:
            provider = providers.get(spec.name)
            state = None if provider is None else (provider, now)
            views.append(SourceView.of(spec, why, "unserved", default=spec.name in default, state=state))
    return views
