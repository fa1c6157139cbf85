"""What is left out of a prompt that is too long: whole things, the least important first, and counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.calls.request_forms import trim_task
from elcano.graphs.agents.envelope import (
    EvidenceItem,
    PastIteration,
    PastSearch,
    SectionItem,
    TaskEnvelope,
    render_envelope,
)
from elcano.graphs.report.report import Citation, Claim


def passage(number: int, length: int = 400) -> EvidenceItem:
    return EvidenceItem(key=f"e{number}", title=f"Passage {number}", locator="x.md", text="word " * (length // 5))


def claim(number: int, key: str) -> Claim:
    return Claim(text=f"Claim {number}. " + "word " * 30, citations=(Citation(evidence=key, quote="word " * 10),))


def turn(number: int) -> PastIteration:
    search = PastSearch(source="docs", query="q", found=1, new=1, failed=False)
    return PastIteration(number=number, thought="think " * 40, searches=(search,), judgement="no")


def task(**fields: object) -> TaskEnvelope:
    return TaskEnvelope.model_validate({"kind": "writer", "question": "Why?", **fields})


def test_half_of_the_passages_stay_those_that_matter_most() -> None:
    whole = task(evidence=tuple(passage(number) for number in range(1, 11)), evidence_left_out=3)
    order = [f"e{number}" for number in (9, 2, 7, 4, 1, 3, 5, 6, 8, 10)]
    shorter = trim_task(whole, 0.5, order)
    assert shorter is not None
    assert len(render_envelope(shorter)) <= 0.5 * len(render_envelope(whole))
    kept = [item.key for item in shorter.evidence]
    assert sorted(kept) == sorted(order[: len(kept)])
    assert kept == sorted(kept, key=lambda key: int(key[1:]))  # in the order of their finding, as they were
    assert shorter.evidence_left_out == 3 + 10 - len(kept)
    assert set(shorter.evidence) <= set(whole.evidence)


def test_every_section_is_still_heard_and_says_what_is_missing() -> None:
    sections = tuple(
        SectionItem(title=f"S{place}", claims=tuple(claim(number, f"e{place}") for number in range(6)), left_out=1)
        for place in range(1, 4)
    )
    cited = tuple(EvidenceItem(key=f"e{place}", title="t", locator="x.md") for place in range(1, 4))
    shorter = trim_task(task(sections=sections, evidence=cited), 0.6)
    assert shorter is not None
    for before, after in zip(sections, shorter.sections, strict=True):
        assert 0 < len(after.claims) < 6
        assert after.left_out == 1 + 6 - len(after.claims)
        assert set(after.claims) <= set(before.claims)
    assert shorter.evidence == cited
    assert shorter.evidence_left_out == 0


def test_passages_that_nothing_cites_any_more_are_not_named() -> None:
    section = SectionItem(title="S", claims=tuple(claim(number, f"e{number}") for number in range(8)))
    cited = tuple(EvidenceItem(key=f"e{number}", title="t", locator="x.md") for number in range(8))
    shorter = trim_task(task(written=(section,), evidence=cited), 0.5)
    assert shorter is not None
    (report,) = shorter.written
    assert [item.key for item in shorter.evidence] == [one.citations[0].evidence for one in report.claims]


def test_the_latest_turns_stay() -> None:
    shorter = trim_task(task(conversation=tuple(turn(number) for number in range(1, 9))), 0.5)
    assert shorter is not None
    numbers = [one.number for one in shorter.conversation]
    assert numbers == list(range(9 - len(numbers), 9))
    assert 0 < len(numbers) < 8


@pytest.mark.parametrize(
    "whole",
    [
        task(),
        task(background="a person's words " * 500),
        task(evidence=(passage(1, 4_000),)),
        task(sections=(SectionItem(title="S", claims=(claim(1, "e1"),)),)),
    ],
    ids=["nothing", "a person's words", "one passage", "one claim"],
)
def test_what_cannot_be_cut_is_not(whole: TaskEnvelope) -> None:
    assert trim_task(whole, 0.5) is None


def test_a_persons_words_are_never_cut() -> None:
    whole = task(background="said " * 100, guidance=("look there",), evidence=tuple(map(passage, range(20))))
    shorter = trim_task(whole, 0.5)
    assert shorter is not None
    assert (shorter.background, shorter.guidance, shorter.question) == (whole.background, whole.guidance, "Why?")


@given(
    st.lists(st.integers(10, 3_000), max_size=12),
    st.lists(st.integers(0, 8), max_size=4),
    st.integers(0, 5),
    st.floats(0.05, 0.95),
    st.permutations(range(12)),
)
def test_a_cut_is_short_enough_or_none(
    passages: list[int], sections: list[int], turns: int, share: float, ranks: list[int]
) -> None:
    whole = task(
        evidence=tuple(passage(number, length) for number, length in enumerate(passages)),
        sections=tuple(
            SectionItem(title=f"S{place}", claims=tuple(claim(n, "e1") for n in range(count)))
            for place, count in enumerate(sections)
        ),
        conversation=tuple(turn(number) for number in range(turns)),
    )
    shorter = trim_task(whole, share, [f"e{number}" for number in ranks])
    if shorter is None:
        return
    assert len(render_envelope(shorter)) <= share * len(render_envelope(whole))
    assert bool(shorter.evidence) == bool(whole.evidence)
    left_out = len(whole.evidence) - len(shorter.evidence)
    assert shorter.evidence_left_out == left_out
    claims = [sum(len(one.claims) for one in of.sections) for of in (whole, shorter)]
    assert sum(one.left_out for one in shorter.sections) == claims[0] - claims[1]
