"""The agent `pilot`: advises when to sail. Without a language model a rule does."""

from typing import Final

from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import Frozen


class PilotInput(AgentInput):
    """The question, and what was reckoned."""

    port: str = ""
    time: str = ""


class Advice(Frozen):
    """When to sail, in a sentence."""

    advice: str


def build_task(given: PilotInput, loaded: Loaded) -> TaskEnvelope:
    """The question with the time of high water."""
    return loaded.envelope("pilot", given).model_copy(update={"given": {"port": given.port, "time": given.time}})


def advise_by_rule(task: TaskEnvelope) -> Advice:
    """What the model that needs no key says."""
    return Advice(advice=f"High water in {task.given['port']} is at {task.given['time']}: leave an hour before it.")


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="pilot",
    description="Advises when to leave a port.",
    asks=Question(
        instructions="You are a harbour pilot. Say in one sentence when to leave the port that `given` names.",
        request="Advise the captain of this task envelope.",
        answer=Advice,
        shown=build_task,
    ),
    input=PilotInput,
    output=Advice,
    starts="thinking",
    completes="thinking",
    output_tokens=100,
)
