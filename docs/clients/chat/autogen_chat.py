# requires: autogen-agentchat==0.7.5 autogen-ext[openai]==0.7.5
"""AutoGen's `AssistantAgent`, with a tool that Elcano does not call and a conversation that the agent keeps."""

from autogen_agentchat.agents import AssistantAgent
from autogen_core import CancellationToken
from autogen_ext.models.openai import OpenAIChatCompletionClient
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run

ABILITIES = {"family": "unknown", "vision": False, "function_calling": True, "json_output": False}


def look_up(word: str) -> str:
    """Look a word up."""
    return word


def agent(base=BASE, model="iterative"):
    info = {**ABILITIES, "structured_output": False}
    client = OpenAIChatCompletionClient(model=model, base_url=base, api_key="none", model_info=info)
    return AssistantAgent("elcano", client, tools=[look_up], model_client_stream=True)


async def research(*questions, base=BASE, model="iterative"):
    asked = agent(base, model)
    return [answered((await asked.run(task=one)).messages[-1].content) for one in questions][-1]


async def stream():
    events = [event async for event in agent().run_stream(task=QUESTION)]
    return answered(events[-1].messages[-1].content) + f", {len(events)} events"


async def cut():
    """This package does not retry a stream that is cut: asked again, it is the same run's."""
    try:
        return await research(SLOW_CUT, base=CUT)
    except Exception:
        return await research(SLOW_CUT, base=CUT)


async def cancel():
    token = CancellationToken()
    try:
        async for event in agent().run_stream(task=LEFT, cancellation_token=token):
            if getattr(event, "source", "") == "user":
                token.cancel()
    except BaseException as error:
        return type(error).__name__
    raise AssertionError("it went on")


run(
    ask=lambda: research(QUESTION),
    stream=stream,
    second_turn=lambda: research(QUESTION, SECOND),
    cancel=cancel,
    error=lambda: refused(lambda: research(QUESTION, model="telepathy")),
    slow=lambda: research(SLOW),
    cut=cut,
)
