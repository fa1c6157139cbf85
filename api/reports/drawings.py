"""The drawings of a report, kept beside it and named in it by hash: forest plots, and one chart."""

import asyncio
from typing import Final

from elcano.graphs.report.report import Report
from elcano.storage.store import TenantStore


async def plots_of(stored: str, store: TenantStore) -> dict[int, str]:
    """Return the plots of a report as SVG, by the numbers of their pools; plots missing from the store are left out.

    Args:
        stored: the report as it is kept.
        store: where its plots are.
    """
    if '"analysis":' not in stored:  # most reports have none, and a long one takes a while to read
        return {}
    analysis = (await asyncio.to_thread(Report.model_validate_json, stored)).analysis
    pools = analysis.pools if analysis else ()
    found = {pool.number: await store.artifacts.get(pool.plot) for pool in pools if pool.plot}
    return {number: plot for number, plot in found.items() if plot is not None}


async def chart_of(stored: str, store: TenantStore) -> str | None:
    """The chart of an answer, as SVG; None: it has none, or the store does not have it.

    Args:
        stored: the report as it is kept.
        store: where its chart is.
    """
    if '"data":' not in stored:
        return None
    data = (await asyncio.to_thread(Report.model_validate_json, stored)).data
    return await store.artifacts.get(data.chart.svg) if data and data.chart else None


SVG_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
