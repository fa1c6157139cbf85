# requires: langchain-openai==1.7.4
"""LangChain's `ChatOpenAI`, by Responses and by chat completions."""

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


def chat(base=BASE, model="iterative", **more):
    return ChatOpenAI(model=model, base_url=base, api_key="none", **more)


def stream():
    pieces = [piece.content for piece in chat().stream(QUESTION)]
    return answered("".join(pieces)) + f", {len(pieces)} pieces"


def second_turn():
    by_responses = chat(use_responses_api=True)
    first = by_responses.invoke(QUESTION)
    answered(by_responses.invoke([HumanMessage(QUESTION), first, HumanMessage(SECOND)]).text)
    call = {"name": "look_up", "args": {"word": "retries"}, "id": "c1"}
    called = [AIMessage("", tool_calls=[call]), ToolMessage("They double.", tool_call_id="c1")]
    first = chat().invoke(QUESTION)
    return answered(chat().invoke([HumanMessage(QUESTION), *called, first, HumanMessage(SECOND)]).text)


def cancel():
    for _ in chat().stream(LEFT):
        break
    return "left"


run(
    ask=lambda: answered(chat().invoke(QUESTION).text),
    stream=stream,
    second_turn=second_turn,
    cancel=cancel,
    error=lambda: refused(lambda: chat(model="telepathy").invoke(QUESTION)),
    slow=lambda: answered(chat().invoke(SLOW).text),
    cut=lambda: answered(chat(CUT).invoke(SLOW_CUT).text),
)
