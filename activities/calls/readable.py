"""The readable part of an answer that is still being written: the texts in its JSON, not the JSON.

Writers answer in Markdown with a list of citations; who quotes answers in claims with theirs. The title, headings,
texts and limitations are shown; what is for the check (keys, quotes) is not. An answer that is no JSON shows nothing: a
model may talk to itself before it answers.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_core import from_json

_MARKS: Final[Mapping[str, str]] = {
    "title": "# ",
    "introduction": "",
    "key_findings": "",
    "heading": "## ",
    "text": "",
    "disputed": "",
    "strength": "",
    "conclusion": "",
    "limitations": "- ",
}
"""The fields whose texts are shown, and what stands before each."""
_UNSHOWN: Final = frozenset({"citations", "related"})
_FENCE: Final = "```"


def extract_readable_text(response: ModelResponse) -> str | None:
    """The texts of an answer as far as it has come; None if nothing of it can be read as it stands.

    That is so before it begins, and for a moment in the middle of an escape.
    """
    for part in reversed(response.parts):
        if isinstance(part, ToolCallPart):
            return _render_partial_json(part.args)
        if isinstance(part, TextPart) and part.content.strip():
            return _render_partial_json(_strip_code_fence(part.content))
    return None


def _render_partial_json(answer: str | Mapping[str, Any] | None) -> str | None:
    if isinstance(answer, str):
        try:
            answer = from_json(answer, allow_partial="trailing-strings")
        except ValueError:
            return None
    if not isinstance(answer, Mapping):
        return None
    text = "\n\n".join(_iter_readable_texts(answer, ""))
    return text.encode(errors="replace").decode() or None  # half of a pair of surrogates could not be sent


def _iter_readable_texts(value: object, field: str) -> Iterator[str]:
    if isinstance(value, str):
        if field in _MARKS and value.strip():
            yield _MARKS[field] + value.strip()
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in _UNSHOWN:
                yield from _iter_readable_texts(inner, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _iter_readable_texts(inner, field)


def _strip_code_fence(text: str) -> str:
    """An answer as text, without the fence that models put around JSON."""
    text = text.strip()
    if text.startswith(_FENCE):
        text = text.partition("\n")[2].removesuffix(_FENCE)
    return text
