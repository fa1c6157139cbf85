"""One file of a tenant's export, as the plugins that add some give it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass


@dataclass(frozen=True)
class TenantFile:
    """A file that is read piece by piece, once; nothing is read before."""

    path: str
    """Where it is in the export: `knowledge/nodes.jsonl`."""
    pieces: AsyncIterator[bytes]
