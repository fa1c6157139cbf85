"""Removes control characters and noncharacters from models' answers, where they may be JSON escapes."""

import json
import re
from dataclasses import replace
from typing import Any, Final

from pydantic_ai.messages import ModelResponse, ModelResponsePart, TextPart, ToolCallPart

from elcano.graphs.text import clean_text

_ESCAPES: Final = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\u[0-9a-fA-F]{4})+)")
r"""Escaped characters, `\ud83d\ude00` being one, after an even number of backslashes."""


def clean_response(response: ModelResponse) -> ModelResponse:
    """The response with clean text, and clean arguments of its tool calls."""
    parts = [_clean_part(part) for part in response.parts]
    return response if parts == list(response.parts) else replace(response, parts=parts)


def _clean_part(part: ModelResponsePart) -> ModelResponsePart:
    if isinstance(part, TextPart):
        return replace(part, content=_clean_json(part.content))
    if isinstance(part, ToolCallPart) and part.args:
        return replace(part, args=_clean_json(part.args) if isinstance(part.args, str) else _clean_value(part.args))
    return part


def _clean_json(text: str) -> str:
    """JSON, or a part of it, or prose with JSON in it."""
    return _ESCAPES.sub(lambda found: found[1] + _clean_escapes(found[2]), clean_text(text))


def _clean_escapes(escaped: str) -> str:
    said = json.loads(f'"{escaped}"')
    clean = clean_text(said)
    return escaped if clean == said else json.dumps(clean)[1:-1]


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {_clean_value(key): _clean_value(one) for key, one in value.items()}
    return [_clean_value(one) for one in value] if isinstance(value, list) else value
