"""What can be read of an answer that is still being written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart

from elcano.activities.calls.live_words import extract_readable_text
from elcano.graphs.agents.writing import ReportProse, SectionProse
from elcano.graphs.report.report import Citation

DRAFT = ReportProse(
    title="Ice in the harbour",
    introduction="It froze — in “winter” 🧊 [a].",
    sections=(SectionProse(heading="When", text="In 1519 [a].\n\n| Year | Ice |\n|---|---|\n| 1519 | yes [a] |"),),
    conclusion="So it was cold [from a].",
    related=("e7",),
    limitations=("How thick it was is not said.",),
    citations=(Citation(evidence="e1", quote="the winter of 1519", mark="a"),),
)
TEXT = """# Ice in the harbour

It froze — in “winter” 🧊 [a].

## When

In 1519 [a].

| Year | Ice |
|---|---|
| 1519 | yes [a] |

So it was cold [from a].

- How thick it was is not said."""


def written(json_text: str) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart("final_result", json_text)])


def test_the_texts_are_shown_and_keys_and_quotes_are_not() -> None:
    assert extract_readable_text(written(DRAFT.model_dump_json())) == TEXT
    assert extract_readable_text(written(json.dumps(DRAFT.model_dump(mode="json")))) == TEXT


def test_a_prefix_shows_a_prefix_or_nothing() -> None:
    whole = json.dumps(DRAFT.model_dump(mode="json"))  # with escapes that can be cut in the middle
    shown = [extract_readable_text(written(whole[:end])) for end in range(len(whole) + 1)]
    texts = [text for text in shown if text is not None]
    assert all(TEXT.startswith(text) for text in texts)
    assert [len(text) for text in texts] == sorted(len(text) for text in texts)
    assert len(set(texts)) > 50
    assert texts[-1] == TEXT


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("", None),
        ("   ", None),
        ("I shall now write the report.", None),
        ("[1, 2]", None),
        ("null", None),
        ("[" * 100_000, None),
        ('{"text": 5, "claims": {"text": ["a", null, {"heading": "b"}]}}', "a\n\n## b"),
        ('{"text": "  "}', None),
        ('{"thought": "of no use to readers"}', None),
        ('{"text": "\x1b[31mred"}', None),  # no JSON: a control character
        ('{"text": "' + "x" * 500_000, "x" * 500_000),
    ],
    ids=["empty", "blank", "talk", "list", "null", "deep", "types", "nothing", "other", "control", "huge"],
)
def test_what_is_no_report_shows_nothing(answer: str, text: str | None) -> None:
    assert extract_readable_text(written(answer)) == text


@given(st.text(), st.integers(0, 200))
def test_nothing_that_a_model_writes_breaks_it(text: str, end: int) -> None:
    extract_readable_text(written(text))
    extract_readable_text(written(json.dumps({"text": text, "sections": [{"heading": text}]})[:end]))
    extract_readable_text(ModelResponse(parts=[TextPart(text)]))


def test_json_in_a_text_is_read_with_or_without_a_fence() -> None:
    for text in ('{"title": "A"', '```json\n{"title": "A"}\n```', '\n```\n{"title": "A"'):
        assert extract_readable_text(ModelResponse(parts=[ThinkingPart("Hm."), TextPart(text)])) == "# A"


def test_half_a_character_can_be_sent() -> None:
    for text in ("\ud83e", "a\udc00b"):
        shown = extract_readable_text(ModelResponse(parts=[ToolCallPart("final_result", {"title": text})]))
        assert shown is not None
        assert shown.encode().endswith((b" ", b"a b"))


def test_arguments_that_come_as_an_object_are_read() -> None:
    assert extract_readable_text(ModelResponse(parts=[ToolCallPart("final_result", {"title": "A"})])) == "# A"
    assert extract_readable_text(ModelResponse(parts=[ThinkingPart("Hm.")])) is None
