"""The README's second command answers: its question is researched here in the same mode, over the same folder."""

import re
import shlex
from pathlib import Path

from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.asking import AgentActivities
from elcano.activities.report.publishing import ReportActivities
from elcano.activities.tools.offered import open_sources
from elcano.activities.tools.search import ToolActivities
from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes
from elcano.graphs.checks.affordable import default_limits
from elcano.graphs.contracts import AgentCall, AgentResult, ModelChoice, ResearchInput, ToolCall, ToolResult
from elcano.graphs.engine.commands import Call, CallAgent, Entry, StepCompleted
from elcano.graphs.lifecycle import finish as closing
from elcano.graphs.modes import MODES
from elcano.graphs.values.report import Report
from elcano.settings import Settings
from elcano.storage.store import Store, open_store
from elcano.testing.in_memory import run_in_memory

ROOT = Path(__file__).parents[2]
RUN = "run-1"


def second_command() -> dict[str, str]:
    """The variables of the README's `make demo` over a folder of one's own."""
    (line,) = re.findall(r"^make demo QUESTION=.*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    return dict(word.split("=", 1) for word in shlex.split(line)[2:])


async def researched(store: Store, question: str, folder: Path, mode: str, data_dir: Path) -> Report:
    """A whole run of the offline model, without a server."""
    chosen = Settings(_env_file=None, data_dir=data_dir, collections={"docs": folder}, package_readmes=False)
    async with open_sources(chosen) as sources:
        agents, tools = AgentActivities(store, sources, chosen), ToolActivities(store, sources)

        async def perform(work: Call, at: float) -> Entry:
            environment = ActivityEnvironment()
            if isinstance(work, CallAgent):
                choice = ModelChoice(default="offline")
                asked = AgentCall(
                    run_id=RUN, step=work.step, node=work.node, agent=work.agent, input=work.input, models=choice
                )
                answered = await environment.run(agents.run_agent, asked)
                assert isinstance(answered, AgentResult)
                return StepCompleted(step=work.step, node=work.node, at=at, output=answered.output, model="offline")
            items = []
            for index, given in enumerate(work.inputs):
                call = ToolCall(run_id=RUN, step=work.step, node=work.node, item=index, tool=work.tool, input=given)
                found = await environment.run(tools.run_tool, call)
                assert isinstance(found, ToolResult)
                items.append(ItemOutcome(index=index, input=given, output=found.output))
            whole = ItemOutcomes(items=tuple(items)).model_dump(mode="json") if work.for_each else items[0].output
            return StepCompleted(step=work.step, node=work.node, at=at, output=whole)

        asked = ResearchInput(
            run_id=RUN,
            question=question,
            mode=mode,
            graph=MODES[mode],
            limits=default_limits(MODES[mode]),
            sources=("docs",),
        )
        journal = await run_in_memory(asked, perform, clock=lambda: 0.0)
    ref = await ActivityEnvironment().run(ReportActivities(store).publish_report, closing.publish_call(asked, journal))
    kept = await store.artifacts.get(ref.artifact)
    assert kept is not None
    return Report.model_validate_json(kept)


async def test_the_second_command_answers_over_its_own_docs(tmp_path: Path) -> None:
    asked = second_command()
    async with open_store(tmp_path) as store:
        report = await researched(store, asked["QUESTION"], ROOT / asked["DOCS"], asked["MODE"], tmp_path)
    assert report.answered, report.markdown
    assert report.partial is None
    assert report.unverified == ()
    assert len(report.references) >= 2, report.markdown
    assert "This section is missing" not in report.markdown
    for unanswered in ("Nothing that was found answers this part", "answers this section", "Missing: "):
        assert unanswered not in report.markdown
