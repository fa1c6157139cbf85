"""What workflows are found by: it fits wherever Temporal keeps it, and nobody's words become Markdown."""

import json
from collections import Counter

import pytest

from elcano.graphs.contracts import BranchOf
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import (
    LABEL_CHARACTERS,
    SEARCH_ATTRIBUTES,
    ResearchInput,
    at_start,
    describe_workflow,
    escape_markdown_line,
    format_label,
)

COLUMNS = {"Keyword": 10, "Int": 3, "Double": 3}
"""How many of a type a namespace may have in Temporal's SQL databases."""
VALUE_BYTES = 2_048
"""How long a search attribute may be as JSON."""


def asking(question: str, *, section: str = "", address: str = "") -> ResearchInput:
    branch = BranchOf(run_id="default-1", path="0004.loop-1", section=section) if section else None
    run_id = "default-1.0004.loop-1" if section else "default-1"
    return ResearchInput(
        run_id=run_id,
        question=question,
        mode="deep",
        graph=MODES["deep"],
        sources=("log",),
        branch_of=branch,
        address=address,
    )


def test_a_namespace_has_room_for_all_of_them() -> None:
    for kind, needed in Counter(SEARCH_ATTRIBUTES.values()).items():
        assert needed <= COLUMNS[kind]


def test_a_run_says_what_it_asks_and_a_section_whose_it_is() -> None:
    run = at_start(asking("What is it?"))
    assert run == {
        "ElcanoQuestion": "What is it?",
        "ElcanoRun": "default-1",
        "ElcanoMode": "deep",
        "ElcanoTenant": "default",
        "ElcanoStage": "researching",
    }
    section = at_start(asking("What of method?", section="method"))
    assert section == run | {"ElcanoQuestion": "What of method?", "ElcanoSection": "method"}
    assert {SEARCH_ATTRIBUTES[name] for name in section} == {"Keyword"}


@pytest.mark.parametrize("sign", ["a", "é", "漢", "\U0001f600", '"', "\\"])
def test_a_long_question_fits_however_it_is_written(sign: str) -> None:
    assert len(json.dumps(format_label(sign * 5_000))) <= VALUE_BYTES
    assert format_label(sign * 5_000).startswith(sign * 100)


def test_a_label_is_one_line_without_control_characters() -> None:
    assert format_label("one\n\ttwo\x00\u202e three ") == "one two three"


def test_words_of_others_are_no_markdown() -> None:
    assert escape_markdown_line("![x](http://evil) *b* <i> `c` a_b\n# d") == (
        r"\!\[x\](http://evil) \*b\* \<i\> \`c\` a\_b \# d"
    )


def test_details_link_to_the_run_and_repeat_no_short_question() -> None:
    told = describe_workflow(asking("What is it?", address="http://127.0.0.1:8000/v1/runs/default-1"))
    assert "What is it?" not in told
    assert "[its report](http://127.0.0.1:8000/v1/runs/default-1/report)" in told
    assert "](" not in describe_workflow(asking("What is it?"))
    question = "Why " * LABEL_CHARACTERS + "?"
    assert describe_workflow(asking(question)).startswith("Why Why")
    assert "section **method** of `default-1`" in describe_workflow(asking("What of method?", section="method"))
