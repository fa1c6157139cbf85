# requires: haystack-ai==3.4.1
"""Haystack's `OpenAIChatGenerator`."""

import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # else it waits for a server that counts its users
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


class Left(Exception):
    """The reader of a stream has left."""


def chat(*messages, base=BASE, model="iterative", heard=None):
    made = OpenAIChatGenerator(
        api_key=Secret.from_token("none"), model=model, api_base_url=base, streaming_callback=heard
    )
    said = [ChatMessage.from_user(one) if isinstance(one, str) else one for one in messages]
    return made.run(messages=said)["replies"][0]


def stream():
    pieces = []
    reply = chat(QUESTION, heard=lambda piece: pieces.append(piece.content))
    return answered(reply.text) + f", {len(pieces)} pieces"


def cancel():
    def leave(piece):
        raise Left

    try:
        chat(LEFT, heard=leave)
    except Left:
        return "left"


run(
    ask=lambda: answered(chat(QUESTION).text),
    stream=stream,
    second_turn=lambda: answered(chat(QUESTION, chat(QUESTION), SECOND).text),
    cancel=cancel,
    error=lambda: refused(lambda: chat(QUESTION, model="telepathy")),
    slow=lambda: answered(chat(SLOW).text),
    cut=lambda: answered(chat(SLOW_CUT, base=CUT).text),
)
