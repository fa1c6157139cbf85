"""The source `knowledge`, as the catalogue lists it."""

from typing import Final

from elcano.graphs.catalogue.sources import SourceSpec

SOURCE: Final = SourceSpec(
    name="knowledge",
    kind="passages",
    description="Passages that earlier runs found, by what their reports said with them.",
    dated=True,
    setting="ELCANO_KNOWLEDGE",
    turned_on_by="tables",
    by_default=False,
    opened_by="elcano.subjects.knowledge.source:open_source",
)
