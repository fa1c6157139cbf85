"""The flow of records: whatever people decide, its figures add up."""

from hypothesis import given
from hypothesis import strategies as st

from elcano.doors.evidence_tables.screening import NO_REASON, count_flow, list_decisions
from elcano.doors.evidence_tables.table_store import Change, TableDocument

DECISIONS = st.sampled_from(["include", "exclude", "unsure", None])
MADE = st.lists(st.tuples(st.integers(0, 4), DECISIONS, st.sampled_from(["", "no control", "wrong age"])), max_size=20)
DOCUMENTS = (
    TableDocument(source="uploads:a", path="0"),
    TableDocument(source="uploads:a", path="1", duplicate_of=0),
    TableDocument(source="b", path="2", reason="there is no text in it"),
    TableDocument(source="b", path="3"),
    TableDocument(source="b", path="4"),
)


@given(MADE)
def test_every_record_is_counted_once(made: list[tuple[int, str | None, str]]) -> None:
    changes = [Change(number=n, row=row, value=one, reason=why) for n, (row, one, why) in enumerate(made)]
    flow = count_flow(DOCUMENTS, list_decisions(changes), None)
    assert flow.records == 5
    assert flow.records == flow.duplicates + flow.excluded + flow.included + flow.unsure + flow.undecided
    assert flow.screened == flow.excluded + flow.included + flow.unsure
    assert sum(flow.reasons.values()) == flow.excluded
    assert flow.by_source == {"uploads:a": 2, "b": 3}
    last = {row: one for row, one, _ in made}
    assert flow.included == sum(one == "include" for one in last.values())


def test_edits_of_cells_are_no_decisions() -> None:
    changes = [Change(row=0, column="Dose", value="exclude"), Change(row=3, value="exclude")]
    flow = count_flow(DOCUMENTS, list_decisions(changes), None)
    assert (flow.excluded, flow.reasons) == (1, {NO_REASON: 1})
