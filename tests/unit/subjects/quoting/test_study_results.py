"""Results of studies: told apart from aims and methods, and quoted wherever a study is cited."""

import pytest

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.graphs.report.report import Claim, ReportDraft
from elcano.subjects.quoting.passages import read_material
from elcano.subjects.quoting.report_writing import list_open_parts, write_report
from elcano.subjects.quoting.sentence_choice import is_aim, measure_wording
from elcano.text.phrases import ENGLISH

STUDY = (
    "The aim of this study was to determine whether green tea lowers blood pressure in adults.\n\n"
    "Eighty adults were randomly assigned to green tea or water for twelve weeks. Pressure was measured every week.\n\n"
    "Systolic pressure fell by 6.2 mm Hg with tea and by 0.4 mm Hg with water (p < 0.01). "
    "No side effects were observed."
)
QUESTION = "Does green tea lower blood pressure in adults?"


def asked(question: str, *texts: str) -> TaskEnvelope:
    items = [
        EvidenceItem(key=f"e{number}", title=f"Paper {number}", locator=f"{number}.txt", text=text)
        for number, text in enumerate(texts, start=1)
    ]
    return TaskEnvelope(kind="writer", question=question, evidence=tuple(items))


def quoted(draft: ReportDraft) -> str:
    claims: list[Claim] = [*draft.key_findings, *(claim for section in draft.sections for claim in section.claims)]
    return " ".join(claim.text for claim in claims)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Mortality was significantly lower in the treated group (12 % vs 19 %, p = 0.03).", True),
        ("There was no association between birth weight and later asthma (OR 1.02, 95 % CI 0.9-1.2).", True),
        ("We aimed to determine whether early feeding shortens the stay in hospital.", False),
        ("Patients were recruited from three clinics between January 1999 and June 2001.", False),
        ("The question is whether or not to rest.", False),
    ],
)
def test_results_are_told_by_their_wording(text: str, result: bool) -> None:
    assert (measure_wording(text) > 0) is result


def test_an_aim_with_a_figure_is_not_only_an_aim() -> None:
    assert is_aim("The aim was to determine whether tea helps.")
    assert not is_aim("To determine the effect we compared both groups, and 40 % improved.")


def test_a_study_is_quoted_with_its_result() -> None:
    assert "6.2 mm Hg" in quoted(write_report(asked(QUESTION, STUDY)))


def test_a_study_without_a_result_is_still_quoted() -> None:
    only_aim = STUDY.split("\n\n")[0]
    draft = write_report(asked(QUESTION, only_aim))
    assert draft.answered
    assert [claim.text for claim in draft.key_findings] == [only_aim]


def test_words_of_one_document_count_together() -> None:
    first, _, last = STUDY.split("\n\n")
    items = [
        EvidenceItem(key=key, title="Paper", locator=f"1.txt, paragraph {place}", text=text)
        for place, (key, text) in enumerate((("e1", first), ("e2", last)), start=1)
    ]
    question = "Does green tea cause side effects in adults whose systolic pressure fell?"
    task = TaskEnvelope(kind="writer", question=question, evidence=tuple(items))
    assert write_report(task).answered
    apart = [item.model_copy(update={"locator": f"{item.key}.txt"}) for item in items]
    assert not write_report(task.model_copy(update={"evidence": tuple(apart[1:])})).answered


def test_a_name_that_nothing_mentions_is_not_answered_for() -> None:
    manual = "A server keeps a log of every change. Two servers may read one log at the same time."
    draft = write_report(asked("How do two servers in Brookhaven read one log of every change?", manual))
    assert not draft.answered
    assert ENGLISH.silent.format(words="brookhaven") in draft.limitations


def test_a_word_within_another_is_not_said_to_be_missing() -> None:
    draft = write_report(asked("Does green tea lower the bloodpressure or pressures of adults?", STUDY))
    assert all("pressures" not in said for said in draft.limitations)


def test_parts_that_are_not_answered_are_named_each_with_what_was_found() -> None:
    question = "Does green tea lower blood pressure, and which licence has the tea shop?"
    weights = dict.fromkeys(("green", "tea", "lower", "blood", "pressure", "licence", "shop"), 3.0)
    draft = write_report(asked(question, STUDY).model_copy(update={"term_weights": weights}))
    assert draft.answered
    about_parts = tuple(each.partition("{part}")[0] for each in (ENGLISH.unspoken_part, ENGLISH.unquoted_part))
    (told,) = [said for said in draft.limitations if said.startswith(about_parts)]
    assert told == ENGLISH.unspoken_part.format(part="which licence has the tea shop")


def test_passages_on_a_part_are_only_said_to_be_found_if_one_holds_half_of_its_words() -> None:
    """However much the one word tells that it holds."""
    held, not_held = "which pressure was measured weekly", "which licensed shops sell pressure cookers"
    given = read_material(asked(f"{held}, and {not_held}?", STUDY))
    assert list_open_parts([held, not_held], [held, not_held], [], given) == (
        ENGLISH.unquoted_part.format(part=held),
        ENGLISH.unspoken_part.format(part=not_held),
    )


def test_of_a_part_that_a_quotation_repeats_it_is_not_said_that_nothing_holds_it() -> None:
    repeated, other = "whatever cups and pots cost in shops", "which licensed shops sell pressure cookers"
    given = read_material(asked(f"{repeated}, and {other}?", STUDY))
    quotes = ["Cups cost little.", "Cups and pots cost little in all shops of the town."]
    assert list_open_parts([repeated, other], [], quotes, given) == (ENGLISH.unspoken_part.format(part=other),)
    assert len(list_open_parts([repeated, other], [], quotes[:1], given)) == 2


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "p < 0." * 2_000, "(" * 5_000, "\u0915\u094d" * 3_000, "aim " * 5_000]
)
def test_hostile_texts_end_in_a_report(text: str) -> None:
    draft = write_report(asked(QUESTION, text or "-", STUDY))
    assert "6.2 mm Hg" in quoted(draft)
