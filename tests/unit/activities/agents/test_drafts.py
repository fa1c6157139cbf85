"""Drafts of sections, ready to be joined: nothing twice, nothing lost, every passage under one key."""

from elcano.activities.agents.answer_drafts import with_canonical_ids
from elcano.activities.agents.section_drafts import UNKNOWN, complete_draft, join_section_drafts
from elcano.graphs.agents.envelope import Drafts, SectionItem
from elcano.graphs.agents.writing import select_fitting_claims
from elcano.graphs.report.report import Citation, Claim, DraftSection, ReportDraft
from elcano.graphs.state.plan import SectionGap, SectionResult
from elcano.storage.evidence import Evidence
from elcano.text.phrases import get_phrases
from tests.unit.activities.agents.material import PANCAKES, TEMPORAL, passage

ONE, TWO = passage(1, TEMPORAL), passage(2, PANCAKES)
COPY = passage(3, "An introduction of its own.\n\n" + TEMPORAL.replace(" ", "\n", 3))
WORD = passage(4, "The batter of the other team struck out long before noon.")
REPLAY = "After a crash another worker replays the history and goes on where the first one stopped."
RETRY = "A failed activity is retried by the server according to its retry policy."
REST = "Let the batter rest for half an hour before baking."


def claim(text: str, cited: Evidence | str) -> Claim:
    id = cited if isinstance(cited, str) else cited.id
    return Claim(text=text, citations=(Citation(evidence=id, quote=text),))


def draft(*claims: Claim, related: tuple[str, ...] = (), limitations: tuple[str, ...] = ()) -> ReportDraft:
    return ReportDraft(
        title="T",
        key_findings=claims[:1],
        sections=(DraftSection(heading="More", claims=claims[1:]),),
        related=related,
        limitations=limitations,
        quoted=True,
    )


def section(title: str, question: str = "") -> SectionResult:
    return SectionResult(title=title, key_question=question or f"What of {title}?", draft="hash")


def texts(drafts: Drafts) -> list[list[str]]:
    return [[claim.text for claim in one.claims] for one in drafts.sections]


def test_claims_stand_in_the_plans_order_under_keys_in_the_order_of_citing() -> None:
    drafts = join_section_drafts(
        [section("Batter"), section("Crash")], [draft(claim(REST, TWO)), draft(claim(REPLAY, ONE))], [ONE, TWO]
    )
    assert texts(drafts) == [[REST], [REPLAY]]
    assert [one.claims[0].citations[0].evidence for one in drafts.sections] == ["e1", "e2"]
    assert drafts.shown.ids == {"e1": TWO.id, "e2": ONE.id}
    assert all(item.text == "" for item in drafts.shown.items)


def test_what_two_sections_say_is_kept_where_it_fits_best() -> None:
    results = [section("Retry policy of activities"), section("Crash and replay of the history")]
    both = draft(claim(REPLAY, ONE), claim(RETRY, ONE))
    assert texts(join_section_drafts(results, [both, both], [ONE])) == [[RETRY], [REPLAY]]


def test_nearly_the_same_words_are_the_same() -> None:
    longer = f"{REST} It gets better."
    drafts = join_section_drafts(
        [section("A"), section("B")], [draft(claim(REST, TWO)), draft(claim(longer, TWO))], [TWO]
    )
    assert texts(drafts) == [[REST], []]


def test_a_quotation_that_several_pages_hold_is_cited_from_the_first() -> None:
    drafts = join_section_drafts(
        [section("A"), section("B")], [draft(claim(REPLAY, ONE)), draft(claim(RETRY, COPY))], [ONE, COPY]
    )
    assert drafts.shown.ids == {"e1": ONE.id}
    assert drafts.sections[1].claims[0].citations[0].evidence == "e1"


def test_an_unknown_id_can_never_be_taken_for_a_key() -> None:
    drafts = join_section_drafts([section("A")], [draft(claim(REPLAY, ONE), claim(RETRY, "e1"))], [ONE])
    assert [one.citations[0].evidence for one in drafts.sections[0].claims] == ["e1", f"{UNKNOWN}e1"]
    whole = ReportDraft(title="T", key_findings=drafts.sections[0].claims)
    kept = with_canonical_ids(whole, drafts.shown.ids)
    assert [one.citations[0].evidence for one in kept.key_findings] == [ONE.id, f"{UNKNOWN}e1"]


def test_a_gap_and_an_unanswered_section_say_why_they_are_empty() -> None:
    gap = section("Gap").model_copy(update={"draft": None, "gap": SectionGap(reason="the key was refused")})
    searched = section("Searched").model_copy(update={"draft": None, "unanswered": True})
    silent = section("Silent").model_copy(update={"unanswered": True})
    drafts = join_section_drafts(
        [gap, silent, searched, section("Crash")], [None, draft(), None, draft(claim(REPLAY, ONE))], [ONE]
    )
    unanswered = "no sentence was found that can be quoted as its answer"
    assert [one.missing for one in drafts.sections] == ["the key was refused", unanswered, unanswered, ""]
    whole = complete_draft(ReportDraft(title="T", sections=(DraftSection(heading="Crash", claims=()),)), drafts)
    assert [one.heading for one in whole.sections] == ["Crash", "Gap", "Silent", "Searched"]
    (told,) = whole.limitations
    assert told.startswith("Missing: “")
    assert told.count("Missing") == 1
    assert "“Gap” (the key was refused)" in told
    assert "“Silent” (no sentence was found that can be quoted as its answer)" in told
    chinese = " ".join(complete_draft(ReportDraft(title="T"), drafts, get_phrases("zh")).limitations)
    assert "“Silent” (没有找到可以引用来回答它的句子)" in chinese
    assert not whole.answered


def test_related_passages_are_merged_without_what_is_cited() -> None:
    first = draft(claim(REPLAY, ONE), related=(TWO.id, ONE.id))
    second = draft(claim(RETRY, ONE), related=(COPY.id, TWO.id, "nobody's"))
    assert join_section_drafts([section("A"), section("B")], [first, second], [ONE, TWO, COPY]).related == (
        TWO.id,
        COPY.id,
    )


def test_only_passages_that_hold_most_of_what_a_section_asks_are_related() -> None:
    """Of a section that is yet to be written; where nothing is answered, the nearest ones are named all the same."""
    result = section("Batter", "How long does batter rest before baking pancakes?")
    asked = result.model_copy(update={"draft": None, "evidence": (ONE.id, TWO.id, WORD.id)})
    drafts = join_section_drafts([asked], [None], [ONE, TWO, WORD])
    assert (drafts.related, drafts.nearest) == ((TWO.id,), (TWO.id, WORD.id))
    answered = ReportDraft(title="T", key_findings=(claim(REPLAY, ONE),))
    assert complete_draft(answered, drafts).related == (TWO.id,)
    assert complete_draft(ReportDraft(title="T"), drafts).related == (TWO.id, WORD.id)


def test_every_section_is_heard_before_any_is_heard_twice_and_the_latest_first() -> None:
    said = tuple(claim("word " * 40, "e1") for _ in range(3))
    sections = [SectionItem(title=f"S{number}", claims=said) for number in range(4)]
    size = 2 * 200 + 30 + 2
    shown = select_fitting_claims(sections, (6 * size + 8) // 4 + 1)
    assert [len(one.claims) for one in shown] == [1, 1, 2, 2]
    assert [one.left_out for one in shown] == [2, 2, 1, 1]
    assert [one.title for one in select_fitting_claims(sections, 1)] == ["S0", "S1", "S2", "S3"]
