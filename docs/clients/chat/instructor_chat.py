# requires: instructor==1.17.0
"""Instructor: answers in a form, by `json_schema`."""

import instructor
from openai import OpenAI
from pydantic import BaseModel
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, refused, run

MODEL = {"extra_body": {"elcano": {"model": "openai:gpt-5.1"}}}
"""The language model that fills in the form."""


class Answer(BaseModel):
    """The answer."""

    owner: str | None = None


def chat(messages, base=BASE, model="iterative"):
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    client = instructor.from_openai(OpenAI(base_url=base, api_key="none"), mode=instructor.Mode.JSON_SCHEMA)
    return client.chat.completions.create(model=model, messages=messages, response_model=Answer, max_retries=0, **MODEL)


def stream():
    client = instructor.from_openai(OpenAI(base_url=BASE, api_key="none"), mode=instructor.Mode.JSON_SCHEMA)
    asked = [{"role": "user", "content": QUESTION}]
    return [*client.chat.completions.create_partial(model="iterative", messages=asked, response_model=Answer, **MODEL)][
        -1
    ]


def second_turn():
    first = chat(QUESTION)
    said = [QUESTION, first.model_dump_json(), SECOND]
    return chat(
        [{"role": role, "content": text} for role, text in zip(("user", "assistant", "user"), said, strict=True)]
    )


def cancel():
    asked = [{"role": "user", "content": LEFT}]
    for _ in OpenAI(base_url=BASE, api_key="none").chat.completions.create(
        model="iterative", messages=asked, stream=True
    ):
        break
    return "left"


run(
    ask=lambda: chat(QUESTION),
    stream=stream,
    second_turn=second_turn,
    cancel=cancel,
    error=lambda: refused(lambda: chat(QUESTION, model="telepathy")),
    slow=lambda: chat(SLOW),
    cut=lambda: chat(SLOW_CUT, CUT),
)
