"""The manager's task ledger: what is assumed, what has to be found out, and a plan for the team."""

from collections.abc import Mapping
from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.team import TaskLedger
from elcano.graphs.text import ensure_list, format_count
from elcano.plugins.research.agents.loop_context import needs_of
from elcano.plugins.teams.agents.manager_context import LeadingInput, build_manager_task, clean_facts

INSTRUCTIONS: Final = """\
You lead a team that researches a question. Before it begins, and again whenever it has come to a stand, you write \
down what you go by.

- Given: facts that the question, its background or a passage states. Of a passage name its key.
- To look up: facts that have to be found, each with the source where it probably stands.
- To derive: what has to be concluded or calculated once those are there.
- Guesses: what you think likely from what you remember, each said to be a guess. They are no evidence.
- Plan: the steps in their order, as few as do the work, each with the name of one of `participants` and what it is to \
do. The last step is the reporter's.

If the envelope has a `ledger`, its plan led nowhere: `turns` shows what was tried, and what a round was a stall for. \
Keep the facts that still hold, add what was learnt since, and plan another way: other places to look, other words, \
another part of the question first. Do not plan again what brought nothing.
"""


def list_needs(given: LeadingInput) -> Needs:
    """Return the data to load: the passages found so far, and descriptions of the sources."""
    return needs_of(given, offered=given.sources, searched=given.sources)


def build_task(given: LeadingInput, loaded: Loaded) -> TaskEnvelope:
    """The question, the team, the plan that led nowhere if there was one."""
    return build_manager_task("task_ledger", given, loaded)


def resolve_answer(said: TaskLedger, given: LeadingInput, ids: Mapping[str, str]) -> TaskLedger:
    """Cut the ledger to its maximum lengths."""
    return TaskLedger.model_validate({name: clean_facts(texts) for name, texts in said})


def summarize_task_ledger(output: JsonObject) -> tuple[str, JsonObject]:
    """The plan, and how many facts of each kind."""
    facts: JsonObject = {
        name: len(ensure_list(output.get(name))) for name in ("given", "to_look_up", "to_derive", "guesses")
    }
    plan = [str(step) for step in ensure_list(output.get("plan"))]
    return f"Planned in {format_count(len(plan), 'step')}: {' · '.join(plan)}", {**facts, "plan": [*plan]}


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="task_ledger",
    description="Leads a team: notes what is given and what has to be found out, and plans.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Write the ledger for the research described in this task envelope.",
        answer=TaskLedger,
        shown=build_task,
    ),
    input=LeadingInput,
    output=TaskLedger,
    starts="judging",
    completes="judging",
    output_tokens=900,
    evidence_tokens=4_000,
    needs=list_needs,
    settled=resolve_answer,
    begins=lambda given: "new facts and a new plan" if given.get("ledger") else "the facts and a plan",
    summary=summarize_task_ledger,
)
