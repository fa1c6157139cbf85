# requires: llama-index-llms-openai-like==0.8.1
"""LlamaIndex's `OpenAILike`."""

from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


def model(base=BASE, name="iterative"):
    return OpenAILike(model=name, api_base=base, api_key="none", is_chat_model=True)


def chat(question, *args):
    return model(*args).chat([ChatMessage(role="user", content=question)]).message


def stream():
    pieces = [piece.delta or "" for piece in model().stream_chat([ChatMessage(role="user", content=QUESTION)])]
    return answered("".join(pieces)) + f", {len(pieces)} pieces"


def second_turn():
    asked, further = (ChatMessage(role="user", content=text) for text in (QUESTION, SECOND))
    return answered(model().chat([asked, chat(QUESTION), further]).message.content)


def cancel():
    for _ in model().stream_chat([ChatMessage(role="user", content=LEFT)]):
        break
    return "left"


run(
    ask=lambda: answered(chat(QUESTION).content),
    stream=stream,
    second_turn=second_turn,
    cancel=cancel,
    error=lambda: refused(lambda: chat(QUESTION, BASE, "telepathy")),
    slow=lambda: answered(chat(SLOW).content),
    cut=lambda: answered(chat(SLOW_CUT, CUT).content),
)
