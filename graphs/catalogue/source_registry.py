"""What can be searched: the sources that plugins add, and those that the operator names.

What is written here is known everywhere. The API refuses by it, a workflow chooses a search's queue and patience by it,
a worker polls and keeps the rate by it. Collections of documents and databases are named by the operator; each kind has
a plugin that opens them.
"""

from collections.abc import Callable, Iterable
from typing import Final

from elcano.graphs.catalogue.source_spec import DATABASE, NAME, SourceLimits, SourceSpec
from elcano.graphs.errors import InputInvalid
from elcano.graphs.registry import Registry, find_opener

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
