"""Request and response models for sources and for checking them."""

from typing import Literal, TypeAlias

from pydantic import Field

from elcano.api.http.budgets import Described
from elcano.api.http.requests import Request, Spoken
from elcano.api.http.times import Moment, datetime_from_seconds
from elcano.graphs.catalogue.sources import LONGEST_QUERY, MOST_RESULTS, SourceSpec
from elcano.graphs.providers import Provider, SourceChecked, get_provider_state

SourceState: TypeAlias = Literal["ready", "needs_key", "off", "empty", "unserved", "waiting", "failing", "trial"]
Stands: TypeAlias = tuple[Provider, float]
"""A provider and the time of the store."""


class SourceView(Described):
    """A source: its contents, its provider's limits, and whether it can be searched now."""

    name: str = Field(examples=["handbook"])
    """Pass it in `sources`."""
    kind: str = Field(examples=["documents"])
    """What is found there."""
    description: str = Field(examples=["The documents of 'handbook'."])
    """One sentence on it."""
    texts: Literal["full text", "abstracts", "records"] = Field(examples=["full text"])
    """What a passage is a part of."""
    dated: bool = Field(examples=[False])
    """Whether what it finds says when it was published."""
    languages: tuple[str, ...] = Field(examples=[["en"]])
    """Of its texts; empty: any."""
    filters: tuple[str, ...] = Field(examples=[["years"]])
    """What a query in its own words can narrow by."""
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
    missing: str = Field(examples=[""])
    """What has to be done before; empty if nothing has to."""
    state: SourceState = Field(examples=["ready"])
    """`needs_key`, `off` (by its setting), `empty` (a folder without documents) and `unserved` (no worker searches it)
    are for somebody to mend, as `missing` says. `waiting`: it asked to be left alone until `until`. `failing`: it
    failed several times in a row, and is left alone until then. `trial`: single searches try whether it is back."""
    until: Moment | None = Field(default=None, examples=[None])
    """When it is searched again; null: it is not waited for."""
    since: Moment | None = Field(default=None, examples=[None])
    """Since when it fails, or waits; null: it does not."""
    last_error: str = Field(default="", examples=["pubmed: HTTP 429 Too Many Requests"])
    """What it said when it last did not answer, in any run; empty if it never failed."""
    last_error_at: Moment | None = Field(default=None, examples=[None])
    """When that was."""

    @classmethod
    def of(
        cls, spec: SourceSpec, missing: str, lack: SourceState = "needs_key", *, stands: Stands | None = None
    ) -> "SourceView":
        """A source that lacks what `missing` says, which is called `lack`; or that stands as its provider does."""
        provider, now = stands or (Provider(), 0.0)
        how: SourceState = lack if missing else get_provider_state(provider, now)
        troubled = how in ("waiting", "failing", "trial")
        return cls(
            name=spec.name,
            kind=spec.kind,
            description=spec.description,
            texts=spec.texts,
            dated=spec.dated,
            languages=spec.languages,
            filters=spec.filters,
            key=spec.key,
            needs_key=spec.needs_key,
            per_second=spec.limits.per_second,
            per_second_with_key=spec.limits.per_second_with_key,
            results=spec.limits.results,
            query_characters=spec.limits.query_characters,
            ready=how in ("ready", "trial"),
            missing=missing,
            state=how,
            until=datetime_from_seconds(provider.held_until if provider.held_until > now else None),
            since=datetime_from_seconds(provider.since if troubled and provider.since else None),
            last_error=provider.error,
            last_error_at=datetime_from_seconds(provider.error_at or None),
        )


class CheckRequest(Request):
    """A search of one source that belongs to no run."""

    query: Spoken = Field(max_length=LONGEST_QUERY, examples=["aspirin preeclampsia"])
    """What to search for, in the source's own words."""
    limit: int = Field(default=5, ge=1, le=MOST_RESULTS)
    """Passages at most."""


class PassageView(Described):
    """A passage that a check found."""

    title: str = Field(examples=["Aspirin versus placebo"])
    """Of the text that it is a part of."""
    locator: str = Field(examples=["https://pubmed.ncbi.nlm.nih.gov/28657417/"])
    """Where it is."""
    excerpt: str
    """Its beginning."""


class CheckView(Described):
    """The results of a source check. They are not stored."""

    source: str = Field(examples=["handbook"])
    """Its name."""
    query: str
    """As it was asked: a source may take less."""
    passages: tuple[PassageView, ...]
    """Best first; empty: it answered, and found nothing."""
    warnings: tuple[str, ...]
    """What could not be searched, and why."""
    seconds: float = Field(examples=[0.8])
    """For the search alone, without waiting for its turn."""

    @classmethod
    def of(cls, source: str, found: SourceChecked) -> "CheckView":
        """As a worker found it."""
        passages = tuple(
            PassageView(title=one.title, locator=one.locator, excerpt=one.excerpt) for one in found.passages
        )
        return cls(source=source, query=found.query, passages=passages, warnings=found.warnings, seconds=found.seconds)
