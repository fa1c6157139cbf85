# requires: agno==3.1.10 openai==3.57.0
"""Agno's agents, which keep a session and report an error in the run's status instead of raising it."""

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.openai.like import OpenAILike
from agno.run.base import RunStatus
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


def agent(base=BASE, model="iterative"):
    served = OpenAILike(id=model, base_url=base, api_key="none")
    return Agent(model=served, db=InMemoryDb(), add_history_to_context=True, session_id="s", telemetry=False)


def research(*questions, base=BASE, model="iterative"):
    asked = agent(base, model)
    for one in questions:
        said = asked.run(one)
        if said.status is RunStatus.error:
            raise RuntimeError(said.content)
        told = answered(said.content)
    return told


def stream():
    pieces = [event.content for event in agent().run(QUESTION, stream=True) if event.content]
    return answered("".join(pieces)) + f", {len(pieces)} pieces"


def cancel():
    for _ in agent().run(LEFT, stream=True):
        break
    return "left"


run(
    ask=lambda: research(QUESTION),
    stream=stream,
    second_turn=lambda: research(QUESTION, SECOND),
    cancel=cancel,
    error=lambda: refused(lambda: research(QUESTION, model="telepathy")),
    slow=lambda: research(SLOW),
    cut=lambda: research(SLOW_CUT, base=CUT),
)
