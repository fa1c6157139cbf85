"""The truth of documents is compared with what was read: only the form may differ."""

import json
from pathlib import Path

from benchmarks.reading import Truth, find_lost, fold_text, load_truth


def test_only_form_is_folded() -> None:
    assert fold_text("\u201cA \u2013 b\u201d  10\u00b9") == fold_text('"A-b" 101')
    assert fold_text("$320\u00b9 in", marks=False) == fold_text("$320 in")
    assert fold_text("$321 in") != fold_text("$320 in")


def test_marks_may_stand_only_in_sentences_that_a_program_wrote() -> None:
    read = ["It was $320\u00b9 in spring."]
    assert find_lost(Truth(["It was $320 in spring."], made=True), read) == []
    assert find_lost(Truth(["It was $320 in spring."]), read) == ["It was $320 in spring."]


def test_a_sentence_with_another_digit_is_lost() -> None:
    assert find_lost(Truth(["It was $321."]), ["It was $320."]) == ["It was $321."]


def test_the_body_of_a_reviewed_truth_counts(tmp_path: Path) -> None:
    texts = [
        {
            "layer": "body",
            "label": "text",
            "text": "This sentence is long enough to count. So is this one, which follows.",
        },
        {"layer": "furniture", "label": "page_header", "text": "The running head of a page is no sentence."},
    ]
    (tmp_path / "one.truth.json").write_text(json.dumps({"texts": texts, "tables": []}))
    truth = load_truth(tmp_path / "one.pdf")
    assert truth is not None
    assert truth.sentences == ["This sentence is long enough to count.", "So is this one, which follows."]
