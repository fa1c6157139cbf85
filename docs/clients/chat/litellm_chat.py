# requires: litellm==1.110.2
"""LiteLLM."""

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it waits for a list of prices on the web
import litellm
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run

litellm.suppress_debug_info = True


def chat(messages, base=BASE, model="iterative", **more):
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return litellm.completion(model=f"openai/{model}", api_base=base, api_key="none", messages=messages, **more)


def read(answer):
    return answered(answer.choices[0].message.content)


def stream():
    pieces = [piece.choices[0].delta.content or "" for piece in chat(QUESTION, stream=True)]
    return answered("".join(pieces)) + f", {len(pieces)} pieces"


def second_turn():
    first = chat(QUESTION).choices[0].message
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    return read(
        chat(
            [
                {"role": "user", "content": QUESTION},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": "They double."},
                first,
                {"role": "user", "content": SECOND},
            ]
        )
    )


def cancel():
    for _ in chat(LEFT, stream=True):
        break
    return "left"


run(
    ask=lambda: read(chat(QUESTION)),
    stream=stream,
    second_turn=second_turn,
    cancel=cancel,
    error=lambda: refused(lambda: chat(QUESTION, model="telepathy")),
    slow=lambda: read(chat(SLOW)),
    cut=lambda: read(chat(SLOW_CUT, CUT)),
)
