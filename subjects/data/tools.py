"""Tools of the plugin, and the look into a database; `tool_specs.py` names them.

A result is stored as a table and as text before a tool answers; the text is evidence like any passage, with a line for
each row. A query that cannot be run is answered with its fault; only a database that is away is a failure. Forecasts
are fitted in processes of their own (`forecasting/fitting.py`).
"""

import asyncio
import json
import time
from contextlib import suppress
from hashlib import sha256
from importlib.util import find_spec
from typing import Final

from temporalio import activity

from elcano.activities.services import Services
from elcano.activities.tools.tool_activities import ToolWork, build_evidence_ref
from elcano.graphs.errors import InputInvalid
from elcano.graphs.extras import install_command
from elcano.storage.store import TenantStore
from elcano.subjects.data.answering.charts import ChartNotDrawn, DrawnChart, PlannedChart, plan_chart, render_vega_chart
from elcano.subjects.data.answering.consensus import Path, merge_path_tables, told_of
from elcano.subjects.data.data_answer import Chart, ChartInput, ChartOutput, QueryFault
from elcano.subjects.data.databases.database import open_databases
from elcano.subjects.data.databases.query_runner import run_query
from elcano.subjects.data.databases.question_context import open_examples, select_schema_context
from elcano.subjects.data.forecast_models import (
    ForecastDigest,
    ForecastInput,
    ForecastOutput,
    Refused,
    describe_forecast,
)
from elcano.subjects.data.forecasting.fitting import FitModel, fit_in_process
from elcano.subjects.data.forecasting.forecasting import (
    Forecast,
    build_forecast_chart,
    build_forecast_table,
    forecast_table,
)
from elcano.subjects.data.query_models import (
    MOST_DISAGREEMENTS,
    ConsensusInput,
    DatabaseLook,
    DatabaseLooked,
    ExecuteSqlInput,
    ExecuteSqlOutput,
    MergedResults,
    SchemaContextInput,
    SchemaContextOutput,
    SqlExamplesInput,
    SqlExamplesOutput,
)
from elcano.subjects.data.results import RESULT_TYPE, load_result_table, load_result_tables, store_result_table
from elcano.subjects.data.tables import ResultDigest, ResultTable

SPEC_TYPE: Final = "application/vnd.vegalite.v5+json"
SVG_TYPE: Final = "image/svg+xml"
PNG_TYPE: Final = "application/vnd.elcano.png+base64"
"""The media type of a stored picture: artifacts are text."""
NOTHING_FITS: Final = "There is no chart: no result has two rows with numbers that a line, bars or dots could show."
NO_RESULT: Final = "There is no chart: there is no result."


async def read_schema_context(work: ToolWork, given: SchemaContextInput) -> SchemaContextOutput:
    """The tables of a database that a question is about, and whether it is one of the saved questions.

    Raises:
        SourceRefused: there is no such database here.
        SourceUnavailable: it is away.
    """
    schema = await work.services.get(open_databases).get(given.database).schema()
    found = await asyncio.to_thread(select_schema_context, schema, given.question, given.tables)
    with suppress(InputInvalid):  # `find_sql_examples` says what is wrong with them
        example = await work.services.get(open_examples).find(given.database, given.question)
        return found.model_copy(update={"saved": example is not None})
    return found


async def find_sql_examples(work: ToolWork, given: SqlExamplesInput) -> SqlExamplesOutput:
    """The saved questions that are like the question.

    Raises:
        InputInvalid: the file of the database cannot be used; the text names its lines.
    """
    return await work.services.get(open_examples).like(given)


async def execute_sql(work: ToolWork, given: ExecuteSqlInput) -> ExecuteSqlOutput:
    """Run a query and return the digest of its result, which is stored first, or the query's fault.

    Raises:
        SourceRefused: there is no such database here.
        SourceUnavailable: it is away.
    """
    store, run_id = work.store, work.run_id
    database = work.services.get(open_databases).get(given.query.database)
    found = await run_query(database, given.query, given.rows)
    if isinstance(found, QueryFault):
        return ExecuteSqlOutput(fault=found)
    digest = await store_result_table(store, run_id, await _keep_first_attempt_result(store, run_id, found))
    kept = await store.evidence.get([digest.evidence])
    return ExecuteSqlOutput(result=digest, evidence=tuple(map(build_evidence_ref, kept)))


async def _keep_first_attempt_result(store: TenantStore, run_id: str, found: ResultTable) -> ResultTable:
    """Return the result of the first attempt of this activity that got one; it counts, however that attempt ended.

    Another attempt would otherwise leave a second result of one query, of another moment, that no one uses.
    """
    if not activity.in_activity():
        return found
    info = activity.info()
    artifact = await store.artifacts.put(run_id, found.model_dump_json(), RESULT_TYPE)
    # A line feed, which no header has: no client's own key can be one of these.
    key = f"result\n{sha256(f'{info.workflow_run_id}/{info.activity_id}'.encode()).hexdigest()}"
    claim = await store.admission.claim(key, artifact, run_id.partition(".")[0])
    earlier = None if claim.mine else await store.artifacts.get(claim.request_hash)
    return found if earlier is None else ResultTable.model_validate_json(earlier)


async def merge_path_results(work: ToolWork, given: ConsensusInput) -> MergedResults:
    """The paths' results as one.

    Raises:
        InputInvalid: a result is not in the store, or a key is no column of every path.
    """
    store, run_id = work.store, work.run_id
    gaps = tuple(
        f"The path {one.name!r} has no result: {one.gap.rstrip('.') or 'no reason was given'}."
        for one in given.paths
        if one.result is None
    )
    digests = [(one.name, one.result) for one in given.paths if one.result is not None]
    if not digests:
        return MergedResults(gaps=gaps, told=" ".join(("No path has a result.", *gaps)))
    if len(digests) == 1:  # merged it would be shown twice
        summary = f"Only the path {digests[0][0]!r} has a result, so there is nothing to merge."
        return MergedResults(gaps=gaps, told=" ".join((summary, *gaps)))
    tables = await load_result_tables(store, [digest for _, digest in digests])
    paths = [Path(name, table, digest.artifact) for (name, digest), table in zip(digests, tables, strict=True)]
    found = await asyncio.to_thread(merge_path_tables, paths, given.keys)
    digest = await store_result_table(store, run_id, found.table)
    return MergedResults(
        result=digest,
        evidence=tuple(map(build_evidence_ref, await store.evidence.get([digest.evidence]))),
        disagreements=tuple(found.disagreements[:MOST_DISAGREEMENTS]),
        disagreement_count=len(found.disagreements),
        gaps=gaps,
        told=told_of(found, list(dict.fromkeys(path.name for path in paths)), gaps),
    )


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


async def forecast_result(work: ToolWork, given: ForecastInput, fit_model: FitModel = fit_in_process) -> ForecastOutput:
    """The digest of a forecast, which is stored with its chart before this answers; or why there is none.

    Raises:
        InputInvalid: there is no such result, or this worker has no library for forecasts.
        NotStarted: the models could not be loaded in time; another try finds them further on.
    """
    store, run_id = work.store, work.run_id
    if find_spec("statsforecast") is None:
        text = f"this worker has no library for forecasts: {install_command('forecast')}"
        raise InputInvalid("tool", text)
    history = await load_result_table(store, given.artifact, "artifact")
    try:
        made = await asyncio.to_thread(forecast_table, history, given, fit_model)
    except Refused as error:
        return ForecastOutput(refused=error.refusal, told=f"There is no forecast: {error.refusal.message}")
    table = build_forecast_table(made, history, given.artifact)
    kept = await store_result_table(store, run_id, table)
    drawing = await store.artifacts.put(run_id, json.dumps(build_forecast_chart(made), ensure_ascii=False), SPEC_TYPE)
    digest = _build_forecast_digest(made, kept, given.artifact, drawing)
    passages = await store.evidence.get([kept.evidence])
    return ForecastOutput(
        forecast=digest, evidence=tuple(map(build_evidence_ref, passages)), told=describe_forecast(digest)
    )


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


async def look_at_database(services: Services, look: DatabaseLook) -> DatabaseLooked:
    """Read a schema.

    Raises:
        SourceRefused: there is no such database here.
        SourceUnavailable: it is away.
    """
    began = time.monotonic()
    database = services.get(open_databases).get(look.database)
    found = await database.schema() if look.values else await database.structure(fresh=True)
    return DatabaseLooked(found=found, seconds=time.monotonic() - began)
