# requires: strands-agents[openai]==1.62.0
"""Strands Agents, which always streams, and offers a tool that Elcano does not call."""

from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run
from strands import Agent, tool
from strands.models.openai import OpenAIModel


@tool
def look_up(word: str) -> str:
    """Look a word up."""
    return word


def agent(base=BASE, model="iterative"):
    served = OpenAIModel(client_args={"base_url": base, "api_key": "none"}, model_id=model)
    return Agent(model=served, tools=[look_up], callback_handler=None)


def research(*questions, base=BASE, model="iterative"):
    asked = agent(base, model)
    return [answered(str(asked(one))) for one in questions][-1]


async def stream():
    pieces = [event["data"] async for event in agent().stream_async(QUESTION) if "data" in event]
    return answered("".join(pieces)) + f", {len(pieces)} pieces"


def cut():
    """This package does not retry a stream that is cut: asked again, it is the same run's."""
    try:
        return research(SLOW_CUT, base=CUT)
    except Exception:
        return research(SLOW_CUT, base=CUT)


async def cancel():
    async for event in agent().stream_async(LEFT):
        if "event" in event:
            break
    return "left"


run(
    ask=lambda: research(QUESTION),
    stream=stream,
    second_turn=lambda: research(QUESTION, SECOND),
    cancel=cancel,
    error=lambda: refused(lambda: research(QUESTION, model="telepathy")),
    slow=lambda: research(SLOW),
    cut=cut,
)
