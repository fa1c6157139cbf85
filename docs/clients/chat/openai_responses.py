# requires: openai==3.57.0
"""The `openai` package and its Responses."""

from openai import OpenAI
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run

client = OpenAI(base_url=BASE, api_key="none")
first = None


def ask():
    global first
    first = client.responses.create(model="iterative", input=QUESTION)
    return answered(first.output_text)


def stream():
    with client.responses.stream(model="iterative", input=QUESTION) as events:
        kinds = [event.type for event in events]
        return answered(events.get_final_response().output_text) + f", {len(kinds)} events"


def second_turn():
    said = [{"role": "user", "content": QUESTION}, *first.output, {"role": "user", "content": SECOND}]
    return answered(client.responses.create(model="iterative", input=said).output_text)


def cancel():
    begun = client.responses.create(model="iterative", input=LEFT, background=True)
    return client.responses.cancel(begun.id).status


run(
    ask=ask,
    stream=stream,
    second_turn=second_turn,
    cancel=cancel,
    error=lambda: refused(lambda: client.responses.create(model="telepathy", input=QUESTION)),
    slow=lambda: answered(client.responses.create(model="iterative", input=SLOW).output_text),
    cut=lambda: answered(
        client.with_options(base_url=CUT).responses.create(model="iterative", input=SLOW_CUT).output_text
    ),
)
