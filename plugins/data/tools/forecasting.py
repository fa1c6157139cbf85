"""The tool `forecast`: a series in a stored result is continued, and the points are kept as a result of their own.

Models come with the extra `forecast`; a worker without it says so. They are fitted in a process of their own, one for
the worker, which is started by the first forecast.
"""

import asyncio
import json
from importlib.util import find_spec
from typing import Final

from pydantic import ValidationError

from elcano.activities.results.result_store import store_result_table
from elcano.activities.tools.evidence_reference import build_evidence_ref
from elcano.activities.tools.tool_work import ToolWork
from elcano.graphs.errors import InputInvalid
from elcano.graphs.extras import install_command
from elcano.graphs.report.tables import ResultDigest, ResultTable
from elcano.plugins.data.forecast_wording import describe_forecast
from elcano.plugins.data.forecasting.chart import build_forecast_chart
from elcano.plugins.data.forecasting.forecast_refusals import Refused
from elcano.plugins.data.forecasting.forecasting import (
    Forecast,
    ForecastComputing,
    build_forecast_table,
    forecast_table,
)
from elcano.plugins.data.forecasting.process import ForecastProcess
from elcano.plugins.data.models.forecast import ForecastDigest, ForecastInput
from elcano.plugins.data.models.forecast_tool import ForecastOutput
from elcano.storage.store import TenantStore

CHART_TYPE: Final = "application/vnd.vegalite.v5+json"

PROCESS: Final = ForecastProcess()
"""One for the worker."""


async def forecast_result(
    work: ToolWork, given: ForecastInput, computing: ForecastComputing = PROCESS
) -> ForecastOutput:
    """The digest of a forecast, which is stored with its chart before this answers; or why there is none.

    Raises:
        InputInvalid: there is no such result, or this worker has no library for forecasts.
        Starting: the models could not be loaded in time; another try finds them further on.
    """
    store, run_id = work.store, work.run_id
    if find_spec("statsforecast") is None:
        text = f"this worker has no library for forecasts: {install_command('forecast')}"
        raise InputInvalid("tool", text)
    history = await _load_result_table(store, given.artifact)
    try:
        made = await asyncio.to_thread(forecast_table, history, given, computing)
    except Refused as error:
        return ForecastOutput(refused=error.refusal, told=f"There is no forecast: {error.refusal.message}")
    table = build_forecast_table(made, history, given.artifact)
    kept = await store_result_table(store, run_id, table)
    drawing = await store.artifacts.put(run_id, json.dumps(build_forecast_chart(made), ensure_ascii=False), CHART_TYPE)
    digest = _build_forecast_digest(made, kept, given.artifact, drawing)
    passages = await store.evidence.get([kept.evidence])
    return ForecastOutput(
        forecast=digest, evidence=tuple(map(build_evidence_ref, passages)), told=describe_forecast(digest)
    )


async def _load_result_table(store: TenantStore, artifact: str) -> ResultTable:
    content = await store.artifacts.get(artifact)
    if content is None:
        raise InputInvalid("artifact", f"there is no result {artifact!r}: name the artifact of one that a query gave")
    try:
        return ResultTable.model_validate_json(content)
    except ValidationError as error:
        raise InputInvalid("artifact", f"the artifact {artifact!r} is no result of a query") from error


def _build_forecast_digest(made: Forecast, kept: ResultDigest, history: str, drawing: str) -> ForecastDigest:
    series = made.series
    return ForecastDigest(
        table=kept,
        history=history,
        time_column=series.time,
        value_column=series.value,
        frequency=series.period.frequency,
        season=made.season,
        observations=len(series.values),
        first=series.name(series.moments[0]),
        last=series.name(series.moments[-1]),
        horizon=len(made.moments),
        model=made.chosen.model,
        reason=made.reason,
        scores=made.scores,
        origins=made.origins,
        intervals=made.chosen.intervals,
        notes=made.notes,
        chart=drawing,
    )
