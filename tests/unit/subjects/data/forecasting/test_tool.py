"""The tool `forecast` over a real store and real models: what is kept, what is told, and what is refused."""

import asyncio
import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import ToolActivities
from elcano.graphs.contracts import ToolCall
from elcano.storage.store import Store, TenantStore
from elcano.subjects.data import tools as tool
from elcano.subjects.data.forecast_models import ForecastDigest, ForecastOutput, summarize_forecast
from elcano.subjects.data.forecasting.fitting import (
    PROCESSES,
    FitAnswer,
    FitRequest,
    build_missing_fit,
    fit_in_process,
)
from elcano.subjects.data.results import RESULT_TYPE
from elcano.subjects.data.tables import ResultTable
from elcano.subjects.data.tools import SPEC_TYPE, forecast_result
from tests.tool_work import work_of
from tests.unit.subjects.data.forecasting.material import given, monthly, steps, table
from tests.unit.subjects.data.forecasting.test_forecasting import Flat

RUN = "run"


@pytest.fixture(scope="module", autouse=True)
def _ended() -> Iterator[None]:
    yield
    PROCESSES.close()


async def kept(store: TenantStore, rows: Any, **fields: Any) -> str:
    return await store.artifacts.put(RUN, table(rows, **fields).model_dump_json(), RESULT_TYPE)


async def made(store: TenantStore, rows: Any, fit_model: Any = None, **fields: Any) -> ForecastOutput:
    asked = given(**{"seconds": 600, "models": ["ets"], **fields, "artifact": await kept(store, rows)})
    return await forecast_result(work_of(store, RUN), asked, fit_model or Flat())


def digest(output: ForecastOutput) -> ForecastDigest:
    assert output.refused is None
    assert output.forecast is not None
    return output.forecast


@pytest.mark.timeout(900)  # a busy machine takes minutes to load the libraries
async def test_by_real_models_in_a_process_of_their_own(store: Store) -> None:
    mine = store.of("default")
    call = ToolCall(
        run_id=RUN,
        step=1,
        node="forecast",
        tool="forecast",
        input={"artifact": await kept(mine, monthly(72)), "models": ["theta", "ets"], "seconds": 600},
    )
    tools = ToolActivities(store, Sources({}))
    first = await ActivityEnvironment().run(tools.run_tool, call)
    again = await ActivityEnvironment().run(tools.run_tool, call)
    assert first.output == again.output
    found = digest(ForecastOutput.model_validate(first.output))
    assert (found.frequency, found.season, found.observations, found.horizon) == ("monthly", 12, 72, 12)
    assert [score.model for score in found.scores] == ["seasonal_naive", "theta", "ets"]
    assert found.model in ("theta", "ets")  # the series has a trend, which the season before does not
    assert found.origins == ("2018-12", "2019-12")
    errors = {score.model: score.smape or 0.0 for score in found.scores}
    assert errors[found.model] < errors["seasonal_naive"]
    points = ResultTable.model_validate_json(await mine.artifacts.get(found.table.artifact) or "")
    assert [column.name for column in points.columns] == ["month", "forecast", "low_80", "high_80", "low_95", "high_95"]
    assert [row[0] for row in points.rows] == [f"2021-{month:02d}" for month in range(1, 13)]
    assert all(row[4] < row[2] < row[1] < row[3] < row[5] for row in points.rows)  # type: ignore[operator]
    assert "Forecast of sales by" in points.computed
    assert found.table.head == points.rows[:10]


async def test_points_are_evidence_and_the_chart_is_kept(store: Store) -> None:
    mine = store.of("default")
    output = await made(mine, monthly(60))
    found = digest(output)
    (passage,) = await mine.evidence.of_run(RUN)
    assert passage.id == found.table.evidence == output.evidence[0].id
    assert "Row 12: 2020-12 | " in passage.text
    assert json.loads(await mine.artifacts.get(found.chart) or "")["layer"]
    assert await mine.artifacts.keys(RUN, SPEC_TYPE) == [found.chart]
    assert len(await mine.artifacts.keys(RUN, RESULT_TYPE)) == 2


async def test_it_is_told_with_what_it_was_worth(store: Store) -> None:
    output = await made(store.of("default"), monthly(60))
    assert (
        "sales by month is monthly: 60 values from 2015-01 to 2019-12. It was forecast 12 months ahead" in output.told
    )
    assert (
        "In the back-test, from 2017-12 and 2018-12 on, the 80 % interval covered 24 of 24 values (100 %)"
        in output.told
    )
    message, figures = summarize_forecast(output.model_dump(mode="json"))
    assert message.startswith("12 months ahead of sales by seasonal_naive: off by ")
    assert figures["horizon"] == 12


async def test_a_refusal_is_an_answer_that_the_next_node_can_read(store: Store) -> None:
    output = await made(store.of("default"), monthly(20))
    assert output.forecast is None
    assert output.refused is not None
    assert (output.refused.reasons, output.refused.needed, output.refused.lasting) == (("too_short",), 26, True)
    assert "20 values" in output.told
    assert summarize_forecast(output.model_dump(mode="json"))[0].startswith("No forecast: the series has 20 values")
    assert await store.of("default").evidence.of_run(RUN) == []


class Late:
    """Has time for none but the models it is named."""

    def __init__(self, *quick: str) -> None:
        self._quick = quick

    def __call__(self, request: FitRequest, deadline: float) -> FitAnswer:
        if request.model in self._quick:
            return Flat()(request, deadline)
        return build_missing_fit(request, "it took longer")


async def test_a_model_that_is_late_is_left_out_and_named(store: Store) -> None:
    output = await made(store.of("default"), monthly(60), Late("seasonal_naive", "ets"), models=["arima", "ets"])
    found = digest(output)
    assert [(score.model, score.left_out) for score in found.scores if score.left_out] == [("arima", "it took longer")]
    assert "ARIMA (AutoARIMA) was left out: it took longer." in output.told


async def test_without_any_model_there_is_no_forecast(store: Store) -> None:
    refused = (await made(store.of("default"), monthly(60), Late())).refused
    assert refused is not None
    assert refused.reasons == ("no_model",)
    assert (
        "repeating the last season: it took longer; exponential smoothing (AutoETS): it took longer" in refused.message
    )


async def test_a_column_called_forecast_keeps_its_name(store: Store) -> None:
    mine = store.of("default")
    artifact = await kept(mine, monthly(60), names=("forecast", "low_80"))
    found = digest(await forecast_result(work_of(mine, RUN), given(artifact=artifact, models=["ets"]), Flat()))
    assert [column.name for column in found.table.columns][:3] == ["forecast", "forecast_2", "low_80"]


@pytest.mark.timeout(900)  # a busy machine takes minutes to load the libraries
async def test_two_at_once_have_each_their_own(store: Store) -> None:
    mine = store.of("default")
    outputs = await asyncio.gather(*(made(mine, monthly(count), fit_in_process) for count in (60, 61, 62)))
    assert [digest(output).observations for output in outputs] == [60, 61, 62]


@pytest.mark.parametrize("content", [None, "{}", "no JSON", '{"columns": []}'])
async def test_what_is_no_result_is_the_callers_fault(store: Store, content: str | None) -> None:
    mine = store.of("default")
    artifact = "0" * 64 if content is None else await mine.artifacts.put(RUN, content, "text/plain")
    call = ToolCall(run_id=RUN, step=1, node="forecast", tool="forecast", input={"artifact": artifact})
    with pytest.raises(ApplicationError, match="no result") as caught:
        await ActivityEnvironment().run(ToolActivities(store, Sources({})).run_tool, call)
    assert (caught.value.type, caught.value.non_retryable) == ("InputInvalid", True)


async def test_another_tenant_has_no_such_result(store: Store) -> None:
    artifact = await kept(store.of("default"), monthly(60))
    with pytest.raises(Exception, match="the store has no result"):
        await forecast_result(work_of(store.of("other"), RUN), given(artifact=artifact), Flat())


async def test_a_worker_without_the_library_says_what_to_install(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "find_spec", lambda name: None)
    with pytest.raises(Exception, match=r"its extra `forecast`"):
        await made(store.of("default"), monthly(60))


async def test_weeks_of_a_series_in_days(store: Store) -> None:
    rows: list[list[Any]] = [[(date(2024, 1, 1) + timedelta(days=n)).isoformat(), float(n % 7 + n)] for n in range(80)]
    found = digest(await made(store.of("default"), rows, horizon=2, span="weeks"))
    assert found.horizon == 14
    assert found.table.head[0][0] == "2024-03-21"


async def test_of_a_very_long_series_the_latest_part_is_taken_and_that_is_said(store: Store) -> None:
    output = await made(store.of("default"), steps(3_000, "2015-01-01", lambda at: at.date().isoformat(), days=1))
    assert digest(output).observations == 1_000
    assert "Only the latest 1,000 of 3,000 values were used." in output.told
