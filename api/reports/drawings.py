"""The pictures of a report, kept beside it and named in it by hash: forest plots, charts."""

import asyncio
from typing import Final

from elcano.graphs.report.report import Report
from elcano.storage.store import TenantStore


async def load_pictures(stored: str, store: TenantStore) -> dict[str, str | None]:
    """Return the pictures of a report as SVG, by the paths at which it shows them; None: the store does not have it.

    Args:
        stored: the report as it is kept.
        store: where its pictures are.
    """
    if '"pictures":' not in stored:  # most reports have none, and a long one takes a while to read
        return {}
    pictures = (await asyncio.to_thread(Report.model_validate_json, stored)).pictures
    return {path: await store.artifacts.get(key) for path, key in pictures.items()}


SVG_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
