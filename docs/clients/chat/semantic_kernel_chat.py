# requires: semantic-kernel==1.45.0
"""Semantic Kernel's `OpenAIChatCompletion`."""

from openai import AsyncOpenAI
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import ChatHistory
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


def service(base=BASE, model="iterative"):
    return OpenAIChatCompletion(ai_model_id=model, async_client=AsyncOpenAI(base_url=base, api_key="none"))


def history(*said):
    found = ChatHistory()
    for number, text in enumerate(said):
        found.add_assistant_message(text) if number % 2 else found.add_user_message(text)
    return found


async def chat(*said, base=BASE, model="iterative"):
    answer = await service(base, model).get_chat_message_content(history(*said), OpenAIChatPromptExecutionSettings())
    return str(answer)


async def research(*said, **more):
    return answered(await chat(*said, **more))


async def stream():
    settings = OpenAIChatPromptExecutionSettings()
    pieces = [str(piece) async for piece in service().get_streaming_chat_message_content(history(QUESTION), settings)]
    return answered("".join(pieces)) + f", {len(pieces)} pieces"


async def second_turn():
    return await research(QUESTION, await chat(QUESTION), SECOND)


async def cancel():
    settings = OpenAIChatPromptExecutionSettings()
    async for _ in service().get_streaming_chat_message_content(history(LEFT), settings):
        break
    return "left"


run(
    ask=lambda: research(QUESTION),
    stream=stream,
    second_turn=second_turn,
    cancel=cancel,
    error=lambda: refused(lambda: research(QUESTION, model="telepathy")),
    slow=lambda: research(SLOW),
    cut=lambda: research(SLOW_CUT, base=CUT),
)
