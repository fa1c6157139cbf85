"""What a step changed, in few words, for states of any size."""

import pytest

from elcano.graphs.frozen import Json
from elcano.graphs.lifecycle.inspection import MOST_CHANGES, Change, compare_states
from elcano.graphs.state.state import EvidenceRef, IterationData, ResearchState
from elcano.testing.script import make_passages

BEFORE = ResearchState(question="What is it?", conversation=(IterationData(number=1),))


def found(*names: str) -> tuple[EvidenceRef, ...]:
    return tuple(EvidenceRef.model_validate(passage) for passage in make_passages(*names))


def changed(before: ResearchState = BEFORE, **fields: object) -> tuple[Change, ...]:
    return compare_states(before, before.model_copy(update=fields)).changes


def test_nothing_is_no_change() -> None:
    assert changed() == ()
    assert changed(conversation=(IterationData(number=1),)) == ()


def test_new_evidence_is_named() -> None:
    before = BEFORE.model_copy(update={"evidence": found("a")})
    assert changed(before, evidence=found("a", "b", "c")) == (
        Change(
            field="evidence",
            how="appended",
            items=(
                {"id": "doc:b", "title": "B", "source": "library"},
                {"id": "doc:c", "title": "C", "source": "library"},
            ),
            count=2,
        ),
    )
    assert changed(before, evidence=())[0].how == "cut_off"


def test_a_turn_is_told_by_what_is_new_in_it() -> None:
    turn = IterationData(number=1, gap="the cost", findings=("doc:a",))
    assert changed(conversation=(turn,)) == (
        Change(field="conversation[0].gap", how="set", before="", after="the cost"),
        Change(field="conversation[0].findings", how="appended", items=("doc:a",)),
    )


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ({}, {"judge": {"ok": True}}, Change(field="outputs.judge", how="set", after={"ok": True})),
        ({"judge": 1}, {}, Change(field="outputs.judge", how="removed", before=1)),
        (
            {"judge": {"ok": True, "why": "x"}},
            {"judge": {"ok": False, "why": "x"}},
            Change(field="outputs.judge", how="set", before={"ok": True, "why": "x"}, after={"ok": False, "why": "x"}),
        ),
    ],
)
def test_an_output_is_one_value(before: dict[str, Json], after: dict[str, Json], change: Change) -> None:
    assert changed(BEFORE.model_copy(update={"outputs": before}), outputs=after) == (change,)


def test_what_is_long_is_cut() -> None:
    (change,) = changed(outputs={"a": {"text": "x" * 10_000, "list": list(range(1_000))}})
    assert len(str(change.after)) < 1_000
    many = compare_states(
        BEFORE, BEFORE.model_copy(update={"values": {f"v{number}": number for number in range(1_000)}})
    )
    assert len(many.changes) == MOST_CHANGES
    assert many.more
    (evidence,) = changed(evidence=found(*(f"p{number}" for number in range(1_000))))
    assert (evidence.count, len(evidence.items)) == (1_000, MOST_CHANGES)
