"""Two runs compared: what is the same is not told, what is not is told once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.lifecycle import finish
from elcano.graphs.mode_choice import MODES
from elcano.graphs.report.report import Citation, Claim, DraftSection, Reference, Report, ReportDraft, SupportCounts
from elcano.graphs.report.works import Identifiers, Work
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.plan import SectionPlan
from elcano.service.comparison.differences import ClaimBrief, RunComparison
from elcano.service.comparison.run_comparison import MOST_ALIKE, Side, build_run_comparison, claims_of, compare_claims
from elcano.testing.script import Script
from tests.unit.graphs.samples import QUESTION, asked, research
from tests.unit.graphs.test_properties import many


def claim(text: str, section: str = "Facts", *evidence: str) -> ClaimBrief:
    return ClaimBrief(section=section, text=text, evidence=evidence)


def told(a: list[ClaimBrief], b: list[ClaimBrief]) -> list[tuple[str, str | None, str | None]]:
    pairs, _ = compare_claims(a, b)
    return [(pair.how, pair.a.text if pair.a else None, pair.b.text if pair.b else None) for pair in pairs]


def test_claims_are_matched_by_their_words() -> None:
    a = [claim("Rich renders tables with borders."), claim("It is fast."), claim("Gone with the wind today.")]
    b = [claim("It is fast."), claim("Rich renders tables without borders."), claim("Something new altogether here.")]
    assert told(a, b) == [
        ("changed", "Rich renders tables with borders.", "Rich renders tables without borders."),
        ("added", None, "Something new altogether here."),
        ("removed", "Gone with the wind today.", None),
    ]
    assert compare_claims(a, b)[1] == 1
    (changed, *_), _ = compare_claims(a, b)
    assert changed.similarity == 0.8


def test_the_most_alike_go_together() -> None:
    a = [claim("one two three four five"), claim("one two three four six")]
    b = [claim("one two three four six seven")]
    assert told(a, b) == [("changed", a[1].text, b[0].text), ("removed", a[0].text, None)]


def test_the_same_words_elsewhere_are_a_change() -> None:
    here, there = claim("It is fast.", "Key findings"), claim("It is fast.", "Speed")
    (pair,), same = compare_claims([here], [there])
    assert (pair.how, pair.similarity, same) == ("changed", 1.0, 0)
    assert compare_claims([here, there], [there, here]) == ((), 2)
    (pair,), _ = compare_claims([claim("It is fast.", "Speed", "doc:a")], [there])
    assert pair.how == "changed"


@many
@given(*[st.lists(st.builds(claim, st.sampled_from(["a b", "a b c", "d", "a c", ""]), st.sampled_from("xy")))] * 2)
def test_every_claim_is_told_once(a: list[ClaimBrief], b: list[ClaimBrief]) -> None:
    pairs, same = compare_claims(a, b)
    assert same + sum(pair.a is not None for pair in pairs) == len(a)
    assert same + sum(pair.b is not None for pair in pairs) == len(b)
    assert compare_claims(a, a) == ((), len(a))


def test_reports_that_are_too_long_are_compared_by_the_same_words_alone() -> None:
    a = [claim(f"claim number {number} of many others") for number in range(MOST_ALIKE + 1)]
    assert compare_claims(a, a[::-1]) == ((), len(a))
    new = [claim(f"{one.text} indeed") for one in a]
    assert {how for how, _, _ in told(a, new)} == {"added", "removed"}


def draft(*claims: Claim, heading: str = "Facts") -> ReportDraft:
    return ReportDraft(
        title="A report", key_findings=claims[:1], sections=(DraftSection(heading=heading, claims=claims),)
    )


def report(*documents: str) -> Report:
    references = tuple(
        Reference(number=number, document=one, title=one.title(), source="library", locators=(), content_hash="0")
        for number, one in enumerate(documents, start=1)
    )
    return Report(
        run_id="run",
        question="q",
        title="A report",
        markdown="",
        answered=True,
        partial=None,
        model="",
        references=references,
        citations=(),
        unverified=(),
    )


def test_marks_are_no_words_of_a_claim() -> None:
    a, b = (
        Claim(
            text=f"It is fast [{one}]. So use it [from {one}]. See [7] and [a note].",
            citations=(Citation(evidence="doc:a", quote="fast", mark=one),),
        )
        for one in ("a", "B")
    )
    (told,) = claims_of(ReportDraft(title="T", conclusion=(a,)))
    assert (told.section, told.text) == ("Conclusion", "It is fast. So use it. See [7] and [a note].")
    assert compare_claims([told], claims_of(ReportDraft(title="T", conclusion=(b,)))) == ((), 1)


FAST = Claim(text="It is fast.", citations=(Citation(evidence="doc:a", quote="fast"),))


async def side(script: Script, *, limits: Limits | None = None, mode: str = "iterative") -> Side:
    journal = await research(script, graph=MODES[mode], limits=limits)
    log = finish.build_run_log(asked(MODES[mode], QUESTION, limits), journal)
    return Side(log=log, status="completed", draft=draft(FAST), report=report("x", "y"))


async def test_a_run_is_the_same_as_itself() -> None:
    one = await side(Script())
    found = build_run_comparison(one, one)
    assert (found.notes, found.asked, found.steps.pairs) == ((), (), ())
    assert found.steps.common == one.log.run.budget.steps
    assert found.evidence.both_count == len(one.log.run.state.evidence)
    assert (found.evidence.only_a_count, found.evidence.only_b_count) == (0, 0)
    assert found.report is not None
    assert (found.report.claims, found.report.claims_same, found.report.references_same) == ((), 2, 2)


async def test_ways_go_together_as_far_as_they_do() -> None:
    short, long = await side(Script(complete_in=1)), await side(Script(complete_in=2))
    found = build_run_comparison(short, long)
    assert found.steps.common == 2
    assert [(pair.a and pair.a.node, pair.b and pair.b.node) for pair in found.steps.pairs[:3]] == [
        ("knowledge_gap", "knowledge_gap"),
        ("complete", "complete"),
        ("writer", None),
    ]
    assert not found.steps.pairs[0].same
    own = [pair.b.number for pair in found.steps.pairs if pair.b]
    assert own == list(range(3, found.b.steps + 1))
    assert found.evidence.only_b_count == found.b.evidence - 1 > 0


async def test_what_was_asked_otherwise() -> None:
    one, other = await side(Script()), await side(Script(), limits=Limits(tokens=90_000), mode="simple")
    found = build_run_comparison(one, other)
    fields = {one.field: (one.a, one.b) for one in found.asked}
    assert fields["limits.tokens"] == (100_000, 90_000)
    assert fields["mode"] == ("iterative", "simple")
    assert fields["graph.nodes.thinking"][1] is None
    assert "question" not in fields
    assert build_run_comparison(other, one).asked != found.asked


async def test_plans_are_compared_by_their_sections() -> None:
    one = await side(Script())
    titles = {"a": ("Ships", "Costs", "Crew"), "b": ("Crew", "Ships", "Ice")}
    sides = []
    for planned in titles.values():
        plan = [SectionPlan(title=title, key_question="?", left_out=title == "Costs") for title in planned]
        state = one.log.run.state.model_copy(update={"plan": tuple(plan)})
        run = one.log.run.model_copy(update={"state": state})
        sides.append(Side(one.log.model_copy(update={"run": run}), "completed"))
    found = build_run_comparison(*sides).plan
    assert (found.added, found.removed, found.both) == (("Ice",), (), ("Ships", "Crew"))


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"status": "running", "draft": None}, "b is still running: it is compared as it is at step 14"),
        ({"status": "failed", "draft": None}, "b wrote no report: its status is failed"),
    ],
)
async def test_what_is_not_whole_is_said(changes: dict[str, object], note: str) -> None:
    one = await side(Script())
    other = Side(**{"log": one.log, "status": one.status, **changes})  # type: ignore[arg-type]
    found: RunComparison = build_run_comparison(one, other)
    assert found.notes == (note,)
    assert found.report is None


async def test_reports_are_compared_by_claims_and_references() -> None:
    one = await side(Script())
    slow = Claim(text="It is slow.")
    written = ReportDraft(
        title="Another", answered=False, key_findings=(FAST,), sections=(DraftSection(heading="Speed", claims=(slow,)),)
    )
    found = build_run_comparison(one, Side(one.log, "completed", written, report("y", "z"))).report
    assert found is not None
    assert (found.a_title, found.b_title, found.a_answered, found.b_answered) == ("A report", "Another", True, False)
    assert (found.sections_added, found.sections_removed) == (("Speed",), ("Facts",))
    assert found.a_support == found.b_support == SupportCounts()
    assert [(pair.how, pair.a and pair.a.text, pair.b and pair.b.text) for pair in found.claims] == [
        ("changed", "It is fast.", "It is slow.")
    ]
    assert [ref.document for ref in found.references_added] == ["z"]
    assert [ref.document for ref in found.references_removed] == ["x"]
    assert claims_of(written)[0].evidence == ("doc:a",)


async def test_a_paper_is_the_same_by_whichever_of_its_names_runs_heard_of_it() -> None:
    one = await side(Script())
    known = Reference(
        number=1,
        document="doi:10.1/x",
        title="Oil",
        source="pubmed",
        locators=(),
        content_hash="0",
        work=Work(identifiers=Identifiers(doi="10.1/x", pmid="1", nct="NCT00000001")),
        also=("doi:10.1101/2020.01.01.123456",),
    )
    names = (Identifiers(pmid="1"), Identifiers(doi="10.1101/2020.01.01.123456"), Identifiers(nct="NCT00000001"))
    others = [
        known.model_copy(update={"document": name.document, "work": Work(identifiers=name), "also": ()})
        for name in names
    ]
    sides = [
        Side(one.log, "completed", one.draft, report().model_copy(update={"references": (reference,)}))
        for reference in (known, *others)
    ]
    found = [build_run_comparison(sides[0], other).report for other in sides[1:]]
    assert [told and told.references_same for told in found] == [1, 1, 0]
    assert [len(told.references_added) for told in found if told] == [0, 0, 1]
