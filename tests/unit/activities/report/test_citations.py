"""A citation holds only if its words stand in the evidence that was given; its number leads to their document."""

from hashlib import sha256

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from elcano.activities.report.checked_draft import CheckedDraft, cited_ids
from elcano.activities.report.citation_check import check_citations, locate_quote
from elcano.activities.report.markdown import render_references
from elcano.graphs.report.report import Citation, Claim, DraftSection, ReportDraft
from elcano.storage.evidence import Evidence, StoredText

WHITE = st.text(alphabet=" \t\n\r\u00a0\u2003", min_size=1, max_size=3)


def stored(text: str, document: str) -> StoredText:
    return StoredText(
        content_hash=sha256(text.encode()).hexdigest(), document=document, title=document.upper(), text=text
    )


def passage(text: StoredText, start: int = 0, end: int | None = None) -> Evidence:
    end = len(text.text) if end is None else end
    return Evidence(
        id=f"{text.document}:{start}",
        source="docs",
        document=text.document,
        content_hash=text.content_hash,
        title=f"{text.title} > a heading",
        locator=f"{text.document}.md#{start}",
        text=text.text[start:end],
        start=start,
        end=end,
    )


OIL = stored("Oil is dear.\n\nOil   floats on\nwater. Nothing else is known.", "oil")
WINE = stored("Wine keeps.", "wine")
DEAR, FLOATS, KEEPS = passage(OIL, 0, 12), passage(OIL, 14, 58), passage(WINE)
GIVEN = [DEAR, FLOATS, KEEPS]
TEXTS = {text.content_hash: text for text in (OIL, WINE)}


def claim(text: str, *citations: tuple[str, str]) -> Claim:
    return Claim(text=text, citations=tuple(Citation(evidence=id, quote=quote) for id, quote in citations))


def checked(*claims: Claim, related: tuple[str, ...] = ()) -> CheckedDraft:
    draft = ReportDraft(
        title="T",
        key_findings=claims[:1],
        sections=(DraftSection(heading="S", claims=claims[1:]),),
        related=related,
    )
    return check_citations(draft, GIVEN, TEXTS)


def test_a_quote_is_found_at_its_place_in_the_document() -> None:
    (found,) = checked(claim("It swims.", (FLOATS.id, "Oil floats on water."))).citations
    assert (found.verdict, found.number) == ("verified", 1)
    assert OIL.text[found.start : found.end] == "Oil   floats on\nwater."


@pytest.mark.parametrize(
    ("evidence", "quote", "verdict"),
    [
        (KEEPS.id, "Wine keeps.", "verified"),
        (KEEPS.id, "  Wine\nkeeps. ", "verified"),
        (KEEPS.id, "wine keeps.", "verified"),
        (KEEPS.id, "Winekeeps.", "quote_not_found"),
        (KEEPS.id, "Wine keeps", "verified"),
        (KEEPS.id, "Wine … keeps", "quote_not_found"),
        (KEEPS.id, "W.ne keeps.", "quote_not_found"),
        (KEEPS.id, " \n ", "quote_not_found"),
        (DEAR.id, "Oil floats", "quote_not_found"),
        ("nowhere", "Wine keeps.", "unknown_evidence"),
        ("", "Wine keeps.", "unknown_evidence"),
    ],
)
def test_each_citation_gets_its_verdict(evidence: str, quote: str, verdict: str) -> None:
    result = checked(claim("It keeps.", (evidence, quote)))
    (found,) = result.citations
    assert found.verdict == verdict
    holds = verdict == "verified"
    assert (found.number == 1, found.start is not None, found.end is not None) == (holds, holds, holds)
    assert len(result.references) == holds
    assert result.unverified == (() if holds else (found,))
    assert (found.claim, found.evidence, found.quote) == ("It keeps.", evidence, quote)


def test_documents_are_numbered_in_the_order_of_first_citing() -> None:
    result = checked(
        claim("One.", ("nowhere", "x"), (KEEPS.id, "keeps")),
        claim("Two.", (FLOATS.id, "water"), (KEEPS.id, "Wine"), (FLOATS.id, "floats")),
        claim("Three.", (DEAR.id, "dear")),
    )
    numbers = [one.numbers for one in (*result.key_findings, *result.sections[0].claims)]
    assert numbers == [(1,), (2, 1), (2,)]
    assert [(one.number, one.document, one.title, one.locators) for one in result.references] == [
        (1, "wine", "WINE", (KEEPS.locator,)),
        (2, "oil", "OIL", (FLOATS.locator, DEAR.locator)),
    ]
    assert [one.content_hash for one in result.references] == [WINE.content_hash, OIL.content_hash]


def test_a_document_that_changed_in_between_is_another_reference() -> None:
    later = stored("Wine spoils.", "wine")
    draft = ReportDraft(title="T", key_findings=(claim("x", ("new", "spoils"), (KEEPS.id, "keeps")),))
    result = check_citations(
        draft,
        [KEEPS, passage(later).model_copy(update={"id": "new"})],
        {**TEXTS, later.content_hash: later},
    )
    assert [one.content_hash for one in result.references] == [later.content_hash, WINE.content_hash]


def test_a_claim_without_citations_is_reported_and_has_no_number() -> None:
    result = checked(claim("Trust me."), claim("It keeps.", (KEEPS.id, "keeps")))
    assert [one.verdict for one in result.citations] == ["no_citation", "verified"]
    assert [one.claim for one in result.unverified] == ["Trust me."]
    assert result.key_findings[0].numbers == ()


def test_a_citation_that_fails_is_reported_beside_one_that_holds() -> None:
    result = checked(claim("It keeps.", (KEEPS.id, "spoils"), (KEEPS.id, "keeps")))
    assert result.key_findings[0].numbers == (1,)
    assert [one.quote for one in result.unverified] == ["spoils"]


def test_related_evidence_is_only_what_was_given() -> None:
    assert checked(related=(KEEPS.id, "nowhere", DEAR.id, KEEPS.id)).related == (KEEPS, DEAR)


def test_the_cited_ids_are_named_once_each() -> None:
    draft = ReportDraft(
        title="T",
        key_findings=(claim("a", ("x", "q"), ("y", "q")),),
        sections=(DraftSection(heading="S", claims=(claim("b", ("x", "q"), ("z", "q")),)),),
    )
    assert cited_ids(draft) == ("x", "y", "z")


@given(st.lists(st.text(alphabet="abcxyz0\u00e4", min_size=1), min_size=1), st.text(), st.text(), st.data())
def test_any_words_of_any_passage_are_found_however_their_white_space_differs(
    inside: list[str], before: str, after: str, data: st.DataObject
) -> None:
    spaced = " ".join(inside)
    text = f"{before}{spaced}{after}"
    start = data.draw(st.integers(0, len(inside) - 1))
    end = data.draw(st.integers(start + 1, len(inside)))
    quote = "".join(word + data.draw(WHITE) for word in inside[start:end])
    place = locate_quote(quote, _at(len(before), len(before) + len(spaced)), text)
    assert place is not None
    assert len(before) <= place[0] < place[1] <= len(before) + len(spaced)
    assert text[place[0] : place[1]].split() == inside[start:end]


@given(st.text(alphabet="abc \n", min_size=1), st.data())
def test_a_changed_letter_is_not_found(text: str, data: st.DataObject) -> None:
    letters = [place for place, character in enumerate(text) if not character.isspace()]
    assume(letters)
    changed = data.draw(st.sampled_from(letters))
    quote = text[:changed] + "d" + text[changed + 1 :]
    assert locate_quote(text, _at(0, len(text)), text) is not None
    assert locate_quote(quote, _at(0, len(text)), text) is None


@given(st.text(alphabet="ab", min_size=1), st.text(alphabet="xy \n", min_size=1))
def test_words_outside_the_passage_do_not_count(outside: str, inside: str) -> None:
    text = outside + inside + outside
    assert locate_quote(outside, _at(len(outside), len(outside) + len(inside)), text) is None
    assert locate_quote(text, _at(0, len(text)), text) is not None


def _at(start: int, end: int) -> Evidence:
    return passage(WINE).model_copy(update={"start": start, "end": end})


def test_a_changed_report_keeps_the_numbers_of_its_references() -> None:
    new = ("New.", (KEEPS.id, "Wine keeps."))
    claims = (claim("Dear.", (DEAR.id, "Oil is dear.")), claim(*new))
    draft = ReportDraft(title="T", key_findings=claims, numbers={FLOATS.id: 3, "gone": 5})
    found = check_citations(draft, GIVEN, TEXTS)
    assert [(one.evidence, one.number) for one in found.citations] == [(DEAR.id, 3), (KEEPS.id, 4)]
    draft = draft.model_copy(update={"key_findings": claims[::-1], "numbers": {KEEPS.id: 4, DEAR.id: 1}})
    listed = render_references(check_citations(draft, GIVEN, TEXTS).references)
    assert [line[:6] for line in listed[1].splitlines()] == ["1. **O", "4) **W"]
