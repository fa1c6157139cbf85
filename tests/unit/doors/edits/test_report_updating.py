"""What an update changes in a draft, and that all the rest stays word for word."""

from hypothesis import given
from hypothesis import strategies as st

from elcano.doors.edits.report_updating import apply_update, describe_parts
from elcano.doors.edits.updater import ReportUpdate, UpdatedBlock, UpdaterInput, list_needs
from elcano.graphs.report.report import Citation, Claim, DraftSection, ReportDraft


def cite(mark: str, evidence: str = "docs:a:0-9", quote: str = "Their words.") -> Citation:
    return Citation(mark=mark, evidence=evidence, quote=quote)


DRAFT = ReportDraft(
    title="Piers",
    introduction=(Claim(text="There are piers [a].", citations=(cite("a"),)),),
    key_findings=(
        Claim(
            text="- One is long [a].\n- One is old [b].", citations=(cite("a"), cite("b", "docs:a:9-20", "It is old."))
        ),
    ),
    sections=(
        DraftSection(heading="Length", claims=(Claim(text="It is 90 m long.", citations=(cite(""),)),)),
        DraftSection(
            heading="Age", claims=(Claim(text="### Built"), Claim(text="In 1519 [a].", citations=(cite("a"),)))
        ),
    ),
    limitations=("No passage found names its keeper.",),
)
"""Blocks 1 to 5, and the limitation 6."""


def block(id: int, text: str, *citations: Citation, added: bool = False) -> UpdatedBlock:
    return UpdatedBlock(id=id, text=text, citations=citations, added=added)


def update(*blocks: UpdatedBlock) -> ReportDraft:
    return apply_update(DRAFT, ReportUpdate(blocks=blocks))


def test_what_the_run_before_knew_takes_no_room_of_what_is_new() -> None:
    """It is loaded beside the prompt: in it, it would crowd out what was found now, up to the most that is shown."""
    found = UpdaterInput(question="q", known=("a", "b"), evidence=("a", "c", "b"), looked_up=("d", "c", "a"))
    needs = list_needs(found)
    assert needs.evidence == ("c", "d")


def test_the_blocks_are_shown_with_their_numbers_and_what_of_them_is_outdated() -> None:
    parts = list(describe_parts(DRAFT, {("docs:a:9-20", "It is old.")}))
    assert [one["part"] for one in parts] == [
        *("title", "introduction", "key_findings", "section: Length", "section: Age", "limitations")
    ]
    assert parts[2]["blocks"] == [
        {
            "id": 2,
            "text": "- One is long [a].\n- One is old [b].",
            "outdated": [{"mark": "b", "quote": "It is old."}],
        }
    ]
    assert parts[3]["blocks"] == [{"id": 3, "text": "It is 90 m long. [s1]"}]
    assert parts[5]["blocks"] == [{"id": 6, "text": "No passage found names its keeper."}]


def test_marks_of_a_replaced_block_stand_for_what_they_stood_and_new_ones_for_what_is_said_of_them() -> None:
    new = cite("n", "e7", "It was renewed.")
    (found,) = update(block(2, "- One is long [a].\n- One is new [n].", new)).key_findings
    assert [(one.mark, one.evidence) for one in found.citations] == [("a", "docs:a:0-9"), ("n", "e7")]
    (found,) = update(block(2, "- One is long [a].", cite("a", "e7"))).key_findings
    assert [one.evidence for one in found.citations] == ["e7"]
    (found,) = update(block(2, "- One is old [b].")).key_findings
    assert [one.evidence for one in found.citations] == ["docs:a:9-20"]
    ((found,), _) = (one.claims for one in update(block(3, "It is long [s1].")).sections)
    assert [one.quote for one in found.citations] == ["Their words."]


def test_marks_of_other_blocks_mean_nothing_in_a_block() -> None:
    (_, added) = update(block(1, "A third is new [a].", added=True)).introduction
    assert added.citations == ()


def test_blocks_are_withdrawn_and_added_where_they_belong() -> None:
    now = update(
        block(3, ""),
        block(2, "- A third is new [n].", cite("n", "e7"), added=True),
        block(6, ""),
        block(5, "It has a keeper [n].", cite("n", "e8"), added=True),
    )
    assert [one.heading for one in now.sections] == ["Age"]
    assert [one.text for one in now.sections[0].claims] == ["### Built", "In 1519 [a].", "It has a keeper [n]."]
    assert [one.text for one in now.key_findings] == [DRAFT.key_findings[0].text, "- A third is new [n]."]
    assert now.limitations == ()
    assert (now.title, now.answered, now.remarks) == ("Piers", True, ())


def test_a_heading_may_be_said_anew_without_its_text() -> None:
    assert update(block(4, "## Built and renewed")).sections[1].claims[0].text == "### Built and renewed"


def test_of_two_changes_of_one_block_the_first_counts_and_one_of_no_block_is_told() -> None:
    now = update(block(1, "First."), block(1, "Second."), block(7, "Nowhere."), block(0, "Nowhere.", added=True))
    assert [one.text for one in now.introduction] == ["First."]
    assert now.remarks == ("A change was left out that named no block of the report.",)


def test_title_limitations_and_whether_it_is_answered_change_if_that_is_said() -> None:
    now = apply_update(DRAFT, ReportUpdate(title="Two piers", limitations=("Its age was withdrawn.",), answered=False))
    assert (now.title, now.answered) == ("Two piers", False)
    assert now.limitations == (*DRAFT.limitations, "Its age was withdrawn.")
    empty = apply_update(DRAFT, ReportUpdate(blocks=tuple(block(id, "") for id in range(1, 6))))
    assert (empty.claims, empty.answered) == ((), False)


TEXTS = st.text(alphabet="ab [].\n#-|`", max_size=30)
BLOCKS = st.builds(
    UpdatedBlock,
    id=st.integers(-1, 8),
    text=TEXTS,
    added=st.booleans(),
    citations=st.lists(st.builds(cite, st.sampled_from(["a", "b", "n", ""])), max_size=2).map(tuple),
)


@given(st.lists(BLOCKS, max_size=6))
def test_what_is_not_named_stays_word_for_word_and_in_its_order(blocks: list[UpdatedBlock]) -> None:
    now = apply_update(DRAFT, ReportUpdate(blocks=tuple(blocks)))
    named = {one.id for one in blocks if not one.added}
    kept = [claim for number, claim in enumerate(DRAFT.claims, start=1) if number not in named]
    there = iter(now.claims)
    assert all(any(claim == one for one in there) for claim in kept)
