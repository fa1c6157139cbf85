"""How a source is shown."""

from typing import Literal

from pydantic import Field

from elcano.api.http.budgets import Described
from elcano.graphs.catalogue.sources import SourceSpec


class SourceView(Described):
    """A source: what is found there, what its provider allows, and whether it can be searched now."""

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
    """Whether it can be searched now."""
    missing: str = Field(examples=[""])
    """What has to be done before; empty if it is ready."""

    @classmethod
    def of(cls, spec: SourceSpec, missing: str) -> "SourceView":
        """A source that lacks what `missing` says."""
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
            ready=not missing,
            missing=missing,
        )
