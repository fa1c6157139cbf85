# requires: dspy==3.4.1
"""DSPy's `LM`, without its cache."""

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it waits for a list of prices on the web
import dspy
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


def chat(*messages, base=BASE, model="iterative"):
    lm = dspy.LM(f"openai/{model}", api_base=base, api_key="none", cache=False)
    roles = ["user", "assistant", "user"]
    said = [{"role": role, "content": text} for role, text in zip(roles, messages, strict=False)]
    answer = lm(messages=said)[0]
    return answer["text"] if isinstance(answer, dict) else answer


async def stream():
    import litellm

    asked = [{"role": "user", "content": QUESTION}]
    pieces = await litellm.acompletion("openai/iterative", asked, api_base=BASE, api_key="none", stream=True)
    return answered("".join([piece.choices[0].delta.content or "" async for piece in pieces]))


async def cancel():
    import asyncio

    lm = dspy.LM("openai/iterative", api_base=BASE, api_key="none", cache=False)
    asking = asyncio.create_task(lm.acall(messages=[{"role": "user", "content": LEFT}]))
    await asyncio.sleep(2)
    asking.cancel()
    return "left"


run(
    ask=lambda: answered(chat(QUESTION)),
    stream=stream,
    second_turn=lambda: answered(chat(QUESTION, chat(QUESTION), SECOND)),
    cancel=cancel,
    error=lambda: refused(lambda: chat(QUESTION, model="telepathy")),
    slow=lambda: answered(chat(SLOW)),
    cut=lambda: answered(chat(SLOW_CUT, base=CUT)),
)
