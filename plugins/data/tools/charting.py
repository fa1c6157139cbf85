"""The tool `chart`: one fitting chart of results, drawn and kept; where none fits or can be drawn, the reason."""

import asyncio
import json
from typing import Final

from elcano.activities.results.result_store import load_result_tables
from elcano.activities.tools.tool_work import ToolWork
from elcano.graphs.errors import InputInvalid
from elcano.graphs.report.data_answer import Chart, ChartInput, ChartOutput
from elcano.plugins.data.answering.charts import PlannedChart, plan_chart
from elcano.plugins.data.answering.vega_renderer import ChartNotDrawn, DrawnChart, render_vega_chart
from elcano.storage.store import TenantStore

SPEC_TYPE: Final = "application/vnd.vegalite.v5+json"
SVG_TYPE: Final = "image/svg+xml"
PNG_TYPE: Final = "application/vnd.elcano.png+base64"
"""The media type of a stored picture: artifacts are text."""
NOTHING_FITS: Final = "There is no chart: no result has two rows with numbers that a line, bars or dots could show."
NO_RESULT: Final = "There is no chart: there is no result."


async def draw_result_chart(work: ToolWork, given: ChartInput) -> ChartOutput:
    """The chart of the first result that one fits for, kept with its specification before this answers.

    Raises:
        InputInvalid: a result or a specification is not in the store.
    """
    store, run_id = work.store, work.run_id
    if not given.results:
        return ChartOutput(reason=NO_RESULT)
    if given.spec:
        plan, number = await _load_given_spec(store, given), given.result
    else:
        tables = await load_result_tables(store, given.results)
        plans = ((place, plan_chart(table)) for place, table in enumerate(tables, start=1))
        number, found = next(((place, one) for place, one in plans if one is not None), (0, None))
        if found is None:
            return ChartOutput(reason=NOTHING_FITS)
        plan = found
    try:
        made = await asyncio.to_thread(render_vega_chart, plan.spec, plan.title, plan.description)
    except ChartNotDrawn as error:
        return ChartOutput(reason=str(error))
    return ChartOutput(chart=await _store_chart(store, run_id, plan, made, number))


async def _load_given_spec(store: TenantStore, given: ChartInput) -> PlannedChart:
    """A specification that another tool made."""
    stored = await store.artifacts.get(given.spec)
    if stored is None:
        raise InputInvalid("spec", f"the store has no chart {given.spec!r}; do all workers share one data folder?")
    try:
        spec = json.loads(stored)
    except ValueError as error:
        raise InputInvalid("spec", f"the artifact {given.spec!r} is no Vega-Lite specification") from error
    if not isinstance(spec, dict):
        raise InputInvalid("spec", f"the artifact {given.spec!r} is no Vega-Lite specification")
    title = given.title or "Chart"
    description = spec.get("description")
    return PlannedChart("line", title, description if isinstance(description, str) and description else title, spec)


async def _store_chart(store: TenantStore, run_id: str, plan: PlannedChart, made: DrawnChart, number: int) -> Chart:
    artifacts = store.artifacts
    return Chart(
        kind=plan.kind,
        title=plan.title,
        description=plan.description,
        result=number,
        spec=await artifacts.put(run_id, json.dumps(plan.spec, ensure_ascii=False), SPEC_TYPE),
        svg=await artifacts.put(run_id, made.svg, SVG_TYPE),
        png=await artifacts.put(run_id, made.png, PNG_TYPE),
    )
