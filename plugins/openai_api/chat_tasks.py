"""What Open WebUI asks about a chat beside its questions: a title, tags, what to ask next. None of it is researched.

It comes as a question, in words that its operator may change, and is known by the form that these have by default. A
chat is titled by its first question; of all else there is nothing to say.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from elcano.graphs.text import shorten_text
from elcano.plugins.openai_api.parameters import ChatRequest

TITLE: Final = "title"
TITLE_CHARACTERS: Final = 60
_ANSWERS: Final[Mapping[str, object]] = {TITLE: "", "tags": [], "follow_ups": [], "queries": [], "text": ""}
"""What is asked for, by the name that it has in the wanted JSON, and the answer that says nothing."""
_BEGINNING: Final = "### Task:"
_GIVEN: Final = ("<chat_history>", "<text>")
_WANTED: Final = re.compile(rf'\{{\s*"(?P<name>{"|".join(_ANSWERS)})":')
_QUESTION: Final = re.compile(r"<chat_history>\s*(?:USER: *|ASSISTANT: *# *)(?P<words>[^\n]+)")


def answer_chat_task(request: ChatRequest) -> str | None:
    """The answer to a task about a chat, in the JSON that it wants; None: the request is a question."""
    content = request.messages[0].get("content") if len(request.messages) == 1 else None
    if request.stream or not isinstance(content, str) or not content.startswith(_BEGINNING):
        return None
    wanted = _WANTED.search(content)
    if wanted is None or not any(tag in content for tag in _GIVEN):
        return None
    name, asked = wanted["name"], _QUESTION.search(content)
    title = shorten_text(asked["words"].strip(), TITLE_CHARACTERS) if asked is not None else ""
    return json.dumps({name: title if name == TITLE else _ANSWERS[name]}, ensure_ascii=False)
