"""What a client asks about a chat beside its questions."""

import json
from typing import Any

import pytest

from elcano.doors.openai_api.chat_routes import answer_chat_task
from elcano.doors.openai_api.parameters import ChatRequest

HISTORY = "<chat_history>\nUSER: To whom do retries belong?\nASSISTANT: # Retries\n</chat_history>"


def ask(content: Any, **fields: Any) -> str | None:
    return answer_chat_task(ChatRequest(messages=[{"role": "user", "content": content}], **fields))


@pytest.mark.parametrize(
    ("wanted", "answer"),
    [
        ('JSON format: { "title": "your title" }\n', {"title": "To whom do retries belong?"}),
        ('JSON format: { "tags": ["one"] }\n', {"tags": []}),
        ('JSON format: { "follow_ups": ["one"] }\n', {"follow_ups": []}),
        ('{\n  "queries": ["one"]\n}\n', {"queries": []}),
        ('`{ "text": "" }`\n<type>General</type><text>To wh</text>\n', {"text": ""}),
    ],
)
def test_tasks_about_a_chat_are_answered_without_research(wanted: str, answer: dict[str, Any]) -> None:
    told = ask(f"### Task:\nDo it.\n{wanted}{HISTORY}\n#### Output:\n")
    assert told is not None
    assert json.loads(told) == answer


def test_questions_are_no_tasks() -> None:
    task = f'### Task:\nJSON format: {{ "title": "" }}\n{HISTORY}'
    assert ask(task) is not None
    assert ask(task, stream=True) is None
    for question in ("To whom?", "### Task:\nTo whom?", f"To whom? {task}", [{"type": "text", "text": task}], None):
        assert ask(question) is None
    assert answer_chat_task(ChatRequest(messages=[])) is None
    assert answer_chat_task(ChatRequest(messages=[{"role": "user", "content": task}] * 2)) is None
    assert ask("### Task:" + '{ "title"' * 100_000) is None
