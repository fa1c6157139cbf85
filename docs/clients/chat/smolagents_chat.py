# requires: smolagents==1.26.0 openai==3.57.0
"""smolagents: Elcano as the model of an agent, asked as its agents ask."""

from smolagents import OpenAIModel
from smolagents.models import ChatMessage, MessageRole
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


def at(base=BASE, model="iterative"):
    return OpenAIModel(model, api_base=base, api_key="none")


def say(*turns):
    roles = (MessageRole.USER, MessageRole.ASSISTANT)
    return [
        ChatMessage(role=roles[place % 2], content=[{"type": "text", "text": text}]) for place, text in enumerate(turns)
    ]


def ask(question, base=BASE, model="iterative"):
    return answered(at(base, model).generate(say(question)).content)


def stream():
    pieces = [piece.content or "" for piece in at().generate_stream(say(QUESTION))]
    return answered("".join(pieces)) + f", {len(pieces)} pieces"


def second_turn():
    first = at().generate(say(QUESTION)).content
    return answered(at().generate(say(QUESTION, first, SECOND)).content)


def cancel():
    for _ in at().generate_stream(say(LEFT)):
        break
    return "left"


run(
    ask=lambda: ask(QUESTION),
    stream=stream,
    second_turn=second_turn,
    cancel=cancel,
    error=lambda: refused(lambda: ask(QUESTION, model="telepathy")),
    slow=lambda: ask(SLOW),
    cut=lambda: ask(SLOW_CUT, CUT),
)
