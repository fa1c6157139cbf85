# requires: llm==0.36
"""LLM, the command line and library of that name, by chat completions."""

from llm.default_plugins.openai_models import Chat
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


def at(base=BASE, model="iterative"):
    return Chat(f"elcano-{model}", model_name=model, api_base=base, key="none")


def ask(question, base=BASE, model="iterative", stream=False):
    return answered(at(base, model).prompt(question, stream=stream).text())


def stream():
    pieces = list(at().prompt(QUESTION, stream=True))
    return answered("".join(pieces)) + f", {len(pieces)} pieces"


def second_turn():
    conversation = at().conversation()
    conversation.prompt(QUESTION, stream=False).text()
    return answered(conversation.prompt(SECOND, stream=False).text())


def cancel():
    for _ in at().prompt(LEFT, stream=True):
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
