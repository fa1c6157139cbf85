# requires: openai-agents==0.24.0
"""The `openai-agents` package: a handoff to Elcano, and a session."""

from agents import Agent, OpenAIResponsesModel, RunConfig, Runner, SQLiteSession, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run

set_tracing_disabled(True)


@function_tool
def look_up(word: str) -> str:
    """Look a word up."""
    return word


def agent(base=BASE, model="iterative"):
    served = OpenAIResponsesModel(model, AsyncOpenAI(base_url=base, api_key="none"))
    return Agent(name="Elcano", instructions="One page.", model=served, tools=[look_up])


async def research(question, base=BASE, model="iterative", session=None):
    return answered((await Runner.run(agent(base, model), question, session=session)).final_output)


async def stream():
    streamed = Runner.run_streamed(agent(), QUESTION)
    deltas = [event async for event in streamed.stream_events()]
    return answered(streamed.final_output) + f", {len(deltas)} events"


async def second_turn():
    """After a turn of ours, and one of another agent that called a tool and hands over."""
    session = SQLiteSession("s")
    await research(QUESTION, session=session)
    await session.add_items(
        [
            {"role": "user", "content": SECOND},
            {"type": "function_call", "call_id": "c1", "name": "transfer_to_elcano", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": '{"assistant": "Elcano"}'},
        ]
    )
    said = await session.get_items()
    return answered((await Runner.run(agent(), said, run_config=RunConfig())).final_output)


async def cancel():
    streamed = Runner.run_streamed(agent(), LEFT)
    async for _ in streamed.stream_events():
        streamed.cancel()
    return "left"


run(
    ask=lambda: research(QUESTION),
    stream=stream,
    second_turn=second_turn,
    cancel=cancel,
    error=lambda: refused(lambda: research(QUESTION, model="telepathy")),
    slow=lambda: research(SLOW),
    cut=lambda: research(SLOW_CUT, CUT),
)
