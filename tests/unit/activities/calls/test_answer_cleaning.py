"""What models write that no export can: removed as it comes in, raw or escaped, and nothing else is touched."""

import json
from typing import Any

import pytest
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart

from elcano.activities.calls.models import clean_response

BAD = "com\ufffepetent\x1b[31m red\x00\x85end\U0001ffff"
CLEAN = "competent [31m red end"
PLAIN = ['{"a": "x"}', r'{"a": "C:\\u0000", "b": "\u00e9\ud83d\ude00\n"}', "né 中 \t\n", ""]


@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize("quoted", [True, False])
def test_bad_characters_are_removed(escaped: bool, quoted: bool) -> None:
    text = json.dumps({"a": [BAD], BAD: 1}, ensure_ascii=escaped)
    if not escaped and quoted:
        text = text.replace("\\u001b", "\x1b").replace("\\u0000", "\x00")  # some models write them raw
    response = ModelResponse(
        parts=[TextPart(text), ToolCallPart("final_result", text), ToolCallPart("final_result", {"a": [BAD], BAD: 1})]
    )
    first, second, third = clean_response(response).parts
    assert isinstance(first, TextPart)
    assert isinstance(second, ToolCallPart)
    assert isinstance(third, ToolCallPart)
    values = [json.loads(first.content), json.loads(str(second.args)), third.args]
    assert [_squeeze(one) for one in values] == [{"a": [CLEAN], CLEAN: 1}] * 3


def _squeeze(value: Any) -> Any:
    return json.loads(json.dumps(value).replace("  ", " "))


@pytest.mark.parametrize(
    ("written", "read"), [(r"a\ud800b", "a b"), (r"\\\u0000", "\\ "), (r"\ud83d\ude00\u0007", "😀 ")]
)
def test_halves_of_pairs_are_removed_and_backslashes_are_counted(written: str, read: str) -> None:
    (part,) = clean_response(ModelResponse(parts=[TextPart(f'"{written}"')])).parts
    assert isinstance(part, TextPart)
    assert json.loads(part.content) == read


@pytest.mark.parametrize("text", PLAIN)
def test_an_answer_without_them_is_the_same(text: str) -> None:
    response = ModelResponse(parts=[ThinkingPart("\x00"), TextPart(text), ToolCallPart("final_result", text)])
    assert clean_response(response) is response
