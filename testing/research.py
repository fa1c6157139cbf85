"""Research without a server: the real engine, agents, tools, store and citation check, in this process.

Nothing is retried and nothing is durable, which is all that Temporal adds. A call that fails has failed.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.calls.models import Resolve
from elcano.activities.report.publishing import ReportActivities
from elcano.activities.sources.base import Source
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import ToolActivities
from elcano.graphs.added_steps import add_answer_step
from elcano.graphs.catalogue.tools import ItemOutcome
from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.checks.validation import require_valid
from elcano.graphs.contracts import AgentCall, ToolCall
from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.engine.entries import Call, CallAgent, CallTool, Entry, StepCompleted, StepFailed
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle import finish as closing
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.mode_choice import MODES
from elcano.graphs.model_names import OFFLINE, ModelChoice
from elcano.graphs.report.report import Report
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.budget import Limits, Usage
from elcano.graphs.state.failures import Failure, FailureDetails, FailureType
from elcano.graphs.state.rubric import Rubric
from elcano.graphs.text import format_utc_day
from elcano.settings import Settings
from elcano.storage.store import open_store
from elcano.testing.model import ScriptedModel
from elcano.testing.script import complete_tool_call


class ResearchOutcome(NamedTuple):
    """The result of a run: the report with its checked citations, and the journal."""

    report: Report
    journal: Journal
    """The run's entries, events and last state."""


async def run_research(
    question: str,
    *,
    folder: Path,
    sources: Sequence[Source] = (),
    model: ScriptedModel | str | None = None,
    within: Callable[[Resolve], Resolve] = lambda resolve: resolve,
    mode: str = "iterative",
    review: bool = False,
    graph: ResearchGraph | None = None,
    limits: Limits | None = None,
    today: str = "",
    domain: Rubric | None = None,
    output_schema: JsonObject | None = None,
) -> ResearchOutcome:
    """Research `question` and return its report.

    Args:
        question: The question.
        folder: The folder for its store.
        sources: The sources to search; the caller closes them.
        model: The model that answers the agents: a scripted one, or the name of one whose key is in the environment;
            default: the extractive model of `offline`.
        within: Wraps the model that answers, to count or to record.
        mode: A mode of the loaded plugins, by its name; `elcano.plugins.load_plugins` loads one that is not installed.
        review: Whether the reviewer reads the report's statements.
        graph: A graph of your own instead.
        limits: The run's limits; default: those of the API.
        today: The day that its agents are given, as `2026-11-22`; default: today in UTC.
        domain: The rubric of the field whose standards are used to judge evidence; default: none.
        output_schema: The JSON Schema of an answer that is wanted besides the report; default: none.

    Raises:
        elcano.graphs.errors.GraphInvalid: the graph has faults.
    """
    chosen = graph or MODES[mode]
    if output_schema:
        chosen = add_answer_step(chosen)
    require_valid(chosen)
    scripted = model if isinstance(model, ScriptedModel) else None
    name = scripted.model_name if scripted else str(model or OFFLINE)
    settings = Settings(_env_file=None, data_dir=folder, model=name)
    asked = ResearchInput(
        run_id=f"run-{uuid4()}",
        question=question,
        mode=chosen.name,
        graph=chosen,
        limits=limits or default_limits(chosen),
        output_schema=output_schema or {},
        review=review,
        sources=tuple(source.spec.name for source in sources),
        models=ModelChoice(default=name),
        today=today or format_utc_day(time.time()),
        domain=domain.name if domain else "",
        domains=(domain,) if domain else (),
    )
    offered = Sources({source.spec.name: source for source in sources})
    async with open_store(folder) as store:
        resolve = scripted.resolve if scripted else None
        agents = AgentActivities(store, offered, settings, resolve=resolve, within=within)
        performer = _Performer(asked, agents, ToolActivities(store, offered))
        journal = await run_in_memory(asked, performer.perform, clock=lambda: 0.0)
        publish = ReportActivities(store).publish_report
        published = await ActivityEnvironment().run(publish, closing.publish_call(asked, journal))
        kept = await store.of(asked.tenant).artifacts.get(published.artifact)
    assert kept is not None, "a report that was published is kept"
    return ResearchOutcome(Report.model_validate_json(kept), journal)


class _Performer:
    """Performs calls by the real activities, as a worker would on their first attempt."""

    def __init__(self, asked: ResearchInput, agents: AgentActivities, tools: ToolActivities) -> None:
        self._asked = asked
        self._agents = agents
        self._tools = tools

    async def perform(self, work: Call, at: float) -> Entry:
        match work:
            case CallAgent():
                return await self._ask(work, at)
            case CallTool():
                return complete_tool_call(
                    work, [await self._item(work, index) for index in range(len(work.inputs))], at
                )

    async def _ask(self, work: CallAgent, at: float) -> Entry:
        call = AgentCall.from_record(
            work,
            run_id=self._asked.run_id,
            models=self._asked.models.with_own(work.agent, work.own),
            today=self._asked.today,
        )
        try:
            answered = await ActivityEnvironment().run(self._agents.run_agent, call)
        except ApplicationError as error:
            fatal = error.type == FailureType.MODEL_REFUSED
            failure = Failure(node=work.node, type=error.type or "", message=error.message, fatal=fatal)
            return StepFailed(step=work.step, node=work.node, at=at, failure=failure, usage=_usage_from_error(error))
        return StepCompleted(
            step=work.step, node=work.node, at=at, output=answered.output, usage=answered.usage, model=answered.model
        )

    async def _item(self, work: CallTool, index: int) -> ItemOutcome:
        given: JsonObject = work.inputs[index]
        call = ToolCall(
            run_id=self._asked.run_id, step=work.step, node=work.node, item=index, tool=work.tool, input=given
        )
        try:
            found = await ActivityEnvironment().run(self._tools.run_tool, call)
        except ApplicationError as error:
            return ItemOutcome(index=index, input=given, error=error.message, error_type=error.type or "")
        return ItemOutcome(index=index, input=given, output=found.output)


def _usage_from_error(error: ApplicationError) -> Usage:
    return FailureDetails.model_validate(error.details[0]).usage if error.details else Usage()
