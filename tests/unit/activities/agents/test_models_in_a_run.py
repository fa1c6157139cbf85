"""Whole researches over models that fail in the middle, or take little at once."""

from pathlib import Path

import pytest
from pydantic_ai.exceptions import ModelContextWindowExceededError
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel

from elcano.graphs.agents.envelope import TaskEnvelope, render_envelope
from elcano.graphs.engine.entries import StepCompleted
from elcano.graphs.model_names import ModelChoice
from elcano.settings import Settings
from elcano.testing import Failing, ScriptedModel, ScriptedSource, run_research
from elcano.testing.default_answers import build_plain_answer
from elcano.testing.model import Answer

DOCUMENTS = {
    f"{number}.md": f"# Harbour {number}\n\nThe harbour {number} is open from March to October. " + "It is old. " * 60
    for number in range(12)
}


class Falling(ScriptedModel):
    """A model that is the first of a list of two."""

    second: ScriptedModel

    def resolve(self, choice: ModelChoice, agent: str, settings: Settings) -> Model:
        return FallbackModel(self, self.second)


async def test_the_next_model_takes_over_in_the_middle_of_a_run(tmp_path: Path) -> None:
    first = Falling({"judge": Failing(402, "no credit"), "writer": "no form at all"}, name="first")
    first.second = second = ScriptedModel(name="second")
    source = ScriptedSource("log", DOCUMENTS)
    report, journal = await run_research("When is the harbour open?", folder=tmp_path, sources=[source], model=first)
    assert journal.run.ending is None
    answered = {entry.node: entry.model for entry in journal.entries if isinstance(entry, StepCompleted)}
    assert (answered["thinking"], answered["judge"], answered["writer"]) == ("first", "second", "second")
    assert {task.kind for task in second.tasks} == {"judge", "writer"}
    assert "first" in report.model
    assert "second" in report.model
    # what the first one wrote in vain was paid for as well
    used = {entry.node: entry.usage.requests for entry in journal.entries if isinstance(entry, StepCompleted)}
    assert (used["judge"], used["writer"]) == (1, 4)


@pytest.mark.parametrize("mode", ["iterative", "deep", "deep_brief", "hierarchical"])
@pytest.mark.of_plugins("teams")
async def test_a_model_that_takes_little_at_once_still_writes_a_report(tmp_path: Path, mode: str) -> None:
    refused: list[TaskEnvelope] = []

    def answer(task: TaskEnvelope) -> Answer:
        if len(render_envelope(task)) <= 2_500:
            return build_plain_answer(task)
        refused.append(task)
        return ModelContextWindowExceededError("small", "the prompt is too long")

    model = ScriptedModel(default=answer, name="small")
    source = ScriptedSource("log", DOCUMENTS)
    report, journal = await run_research(
        "When is the harbour open?", folder=tmp_path, sources=[source], model=model, mode=mode
    )
    assert refused
    assert journal.run.ending is None
    assert report.references
    assert not report.unverified
    assert "did not fit" in report.markdown
    assert len(refused) < 12  # learned, not tried again and again
