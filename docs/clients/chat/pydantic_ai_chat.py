# requires: pydantic-ai-slim[openai]==2.68.0
"""Pydantic AI, whose history has a tool that another model called."""

from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


def agent(base=BASE, model="iterative"):
    return Agent(OpenAIChatModel(model, provider=OpenAIProvider(base_url=base, api_key="none")))


async def research(question, base=BASE, model="iterative"):
    return answered((await agent(base, model).run(question)).output)


async def stream():
    async with agent().run_stream(QUESTION) as result:
        texts = [text async for text in result.stream_text(delta=True)]
    return answered("".join(texts)) + f", {len(texts)} pieces"


async def second_turn():
    called = [
        ModelResponse(parts=[ToolCallPart("look_up", {"word": "retries"}, "c1")]),
        ModelRequest(parts=[ToolReturnPart("look_up", "They double.", "c1")]),
    ]
    first = await agent().run(QUESTION)
    asked = first.all_messages()
    history = [asked[0], *called, *asked[1:]]
    return answered((await agent().run(SECOND, message_history=history)).output)


async def cancel():
    async with agent().run_stream(LEFT) as result:
        async for _ in result.stream_text():
            break
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
