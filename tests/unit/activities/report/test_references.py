"""One work is one reference, whoever found it; and nothing is quoted from what was retracted without saying so."""

import json
import re
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from elcano.activities.calls.usage import Outcome
from elcano.activities.report.additions import ReportMaterial
from elcano.activities.report.checked_draft import CheckedDraft
from elcano.activities.report.citation_check import check_citations
from elcano.activities.report.report_builder import build_report
from elcano.activities.report.work_merge import Works, select_related_accounts
from elcano.graphs.contracts import PublishCall
from elcano.graphs.report.report import Citation, Claim, Reference, Report, ReportDraft
from elcano.graphs.report.works import Identifiers, Work
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.ledger import LedgerEntry
from elcano.storage.lineage import days_of

NOON = 1_795_348_800.0
"""2026-11-22, 12:00 UTC."""
ARTICLE = Work(
    title="Oil [and] *water*",
    authors=("Curie, Marie", "Bohr, Niels"),
    year=2020,
    venue="J Oil",
    volume="3",
    pages="1-9",
    kind="article",
    identifiers=Identifiers(pmid="1", doi="10.1/x"),
    url="https://example.org/oil",
    source="pubmed",
    retrieved_at=NOON,
)
DOUBTED = ARTICLE.model_copy(
    update={"source": "crossref", "flags": ("retracted",), "notices": ("Retraction: doi 10.1/y [2]",), "title": "Oil"}
)
CALL = PublishCall(run_id="run", question="?", mode="iterative", draft="0" * 64, evidence=())


def found(
    source: str, text: str, work: Work | None, document: str = "", at: float = NOON
) -> tuple[Evidence, StoredText]:
    name = document or (work.identifiers.document if work else source)
    stored = StoredText(
        content_hash=sha256(text.encode()).hexdigest(), document=name, title=work.title if work else name, text=text
    )
    passage = Evidence(
        id=f"{source}:{text}",
        source=source,
        document=name,
        content_hash=stored.content_hash,
        title=stored.title,
        locator=f"https://example.org/{source}",
        text=text,
        start=0,
        end=len(text),
        retrieved_at=at,
        work=work,
    )
    return passage, stored


ABSTRACT = found("pubmed", "Oil floats.", ARTICLE)
WHOLE = found("europe_pmc", "Oil floats on water, always.", ARTICLE.model_copy(update={"source": "europe_pmc"}))
RECORD = found("crossref", "Oil.", DOUBTED)
OTHER = found("pubmed", "Wine keeps.", Work(title="Wine", identifiers=Identifiers(pmid="2"), source="pubmed"))
PAGE = found("docs", "Bread rises.", None)


def citing(*passages: tuple[Evidence, StoredText]) -> ReportDraft:
    claims = tuple(
        Claim(text=f"Claim {chr(97 + n)}.", citations=(Citation(evidence=one.id, quote=one.text),))
        for n, (one, _) in enumerate(passages)
    )
    return ReportDraft(title="T", key_findings=claims)


def checked(draft: ReportDraft, *given: tuple[Evidence, StoredText], accounts: tuple[Work, ...] = ()) -> CheckedDraft:
    return check_citations(draft, [one for one, _ in given], {text.content_hash: text for _, text in given}, accounts)


def report(draft: ReportDraft | None, *given: tuple[Evidence, StoredText], accounts: tuple[Work, ...] = ()) -> Report:
    texts = {text.content_hash: text for _, text in given}
    return build_report(ReportMaterial(CALL, draft, [one for one, _ in given], accounts), texts)


def part(markdown: str, heading: str) -> str:
    return markdown.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].strip()


def test_what_several_sources_found_of_a_work_is_one_reference_with_several_texts() -> None:
    result = checked(citing(ABSTRACT, OTHER, WHOLE, PAGE), ABSTRACT, WHOLE, OTHER, PAGE, RECORD)
    assert [claim.numbers for claim in result.key_findings] == [(1,), (2,), (1,), (3,)]
    first, second, third = result.references
    assert (first.document, second.document, third.document) == ("doi:10.1/x", "pmid:2", "docs")
    assert [text.content_hash for text in first.texts] == [ABSTRACT[1].content_hash, WHOLE[1].content_hash]
    assert [one.source for one in first.described_by] == ["pubmed", "crossref", "europe_pmc"]
    assert first.content_hash == ABSTRACT[1].content_hash
    assert (third.work, third.described_by) == (None, ())


def test_every_citation_leads_to_its_own_text() -> None:
    given = (ABSTRACT, WHOLE)
    texts = {text.content_hash: text.text for _, text in given}
    for cited in checked(citing(*given), *given).citations:
        assert texts[cited.content_hash][cited.start : cited.end] == cited.quote
        assert cited.number == 1


def test_a_changed_text_of_a_work_is_the_same_reference_and_of_a_document_another() -> None:
    later = found("pubmed", "Oil floats. (Corrected.)", ARTICLE)
    page = found("docs", "Bread rises slowly.", None)
    assert len(checked(citing(ABSTRACT, later), ABSTRACT, later).references) == 1
    assert len(checked(citing(PAGE, page), PAGE, page).references) == 2


def test_works_without_a_name_are_of_their_documents() -> None:
    one = found("mine", "Oil burns.", Work(title="Oil"), "mine:1")
    other = found("mine", "Oil shines.", Work(title="Oil"), "mine:2")
    result = checked(citing(one, other), one, other)
    assert [ref.document for ref in result.references] == ["mine:1", "mine:2"]
    assert [ref.work.title for ref in result.references if ref.work] == ["Oil", "Oil"]


def test_a_reference_says_who_wrote_what_where_and_who_told_of_it() -> None:
    lines = part(report(citing(ABSTRACT), ABSTRACT, WHOLE).markdown, "References")
    assert lines == (
        "1. Curie M, Bohr N (2020). [**Oil \\[and\\] \\*water\\***](<https://example.org/oil>). J Oil 3:1-9. "
        "[**doi:10.1/x**](<https://doi.org/10.1/x>), [**PMID 1**](<https://pubmed.ncbi.nlm.nih.gov/1>). "
        "Cited from: [**https://example.org/pubmed**](<https://example.org/pubmed>). "
        "— pubmed, retrieved 2026-11-22; also found by europe_pmc\n"
        "   - “Oil floats.”"
    )


@pytest.mark.parametrize("given", [(ABSTRACT, RECORD), (RECORD, ABSTRACT)])
def test_what_was_retracted_is_said_at_the_claim_in_the_head_and_in_the_reference(
    given: tuple[tuple[Evidence, StoredText], ...],
) -> None:
    """Also where the source of the quoted text does not know of it."""
    result = report(citing(ABSTRACT, OTHER), *given, OTHER)
    assert "- Claim a. [1, retracted] (not supported)\n- Claim b. [2]" in result.markdown
    head = result.markdown.partition("\n## ")[0]
    assert "> **Warning:** Reference 1 (“Oil \\[and\\] \\*water\\*”) was retracted." in head
    assert result.warnings == ("Reference 1 (“Oil [and] *water*”) was retracted.",)
    assert "1. **RETRACTED: Retraction: doi 10.1/y \\[2\\].** Curie M" in part(result.markdown, "References")
    assert result.references[0].work is not None
    assert result.references[0].work.flags == ("retracted",)


def test_what_only_a_section_was_told_is_said_too() -> None:
    result = report(citing(ABSTRACT), ABSTRACT, accounts=(DOUBTED,))
    assert "[1, retracted]" in result.markdown
    assert result.accounts == (DOUBTED,)
    assert "[1]" in report(citing(ABSTRACT), ABSTRACT).markdown


def test_of_what_sections_were_told_only_what_belongs_to_known_works_is_kept() -> None:
    wine = Work(title="Wine", identifiers=Identifiers(pmid="2"), source="pubmed")
    again = ARTICLE.model_copy(update={"retrieved_at": NOON + 1})
    assert select_related_accounts([ARTICLE], [wine, DOUBTED, again]) == (DOUBTED,)
    assert select_related_accounts([], [wine]) == ()
    assert select_related_accounts([ARTICLE], [DOUBTED, wine]) == select_related_accounts(
        [ARTICLE], [wine, wine, DOUBTED]
    )


def test_evidence_without_a_report_says_it_too() -> None:
    result = report(None, ABSTRACT, RECORD, PAGE)
    assert "- **RETRACTED: Retraction: doi 10.1/y \\[2\\].** [**Oil \\[and\\]" in result.markdown
    assert "- [**docs**](<https://example.org/docs>) — docs" in result.markdown


def test_related_passages_say_it_too() -> None:
    draft = citing(PAGE).model_copy(update={"related": (RECORD[0].id,)})
    assert "- **RETRACTED: " in part(report(draft, PAGE, RECORD).markdown, "Related passages")


def test_only_the_abstract_was_read_unless_more_of_it_is_cited() -> None:
    brief = found("pubmed", "Oil floats.", ARTICLE.model_copy(update={"flags": ("abstract_only",)}))
    alone = checked(citing(brief), brief).references[0]
    both = checked(citing(brief, WHOLE), brief, WHOLE).references[0]
    assert alone.work is not None
    assert both.work is not None
    assert (alone.work.flags, both.work.flags) == (("abstract_only",), ())


def test_a_published_work_names_its_preprint() -> None:
    draft = ARTICLE.model_copy(
        update={
            "kind": "preprint",
            "flags": ("preprint",),
            "source": "biorxiv",
            "identifiers": Identifiers(pmid="1", doi="10.1101/2019.01.01.123456"),
        }
    )
    line = part(report(citing(ABSTRACT), ABSTRACT, accounts=(draft,)).markdown, "References")
    assert "There is a preprint of it: [**doi:10.1101/2019.01.01.123456**](<https://doi.org/10.1101/" in line
    assert "not peer reviewed" not in line


def line(outcome: Outcome = "completed", at: float = 0.0, *, undone: bool = False, name: str = "search") -> LedgerEntry:
    """`at` is in days after `NOON`."""
    return LedgerEntry(
        run_id="run",
        activity="a",
        step=1,
        attempt=1,
        node="search",
        kind="tool",
        name=name,
        outcome=outcome,
        undone=undone,
        at=NOON + at * 86_400,
    )


def test_days_of_searches_are_those_of_answers() -> None:
    assert days_of([]) == days_of([line("failed"), line(undone=True), line(name="noop")]) == ()
    assert days_of([line(), line(at=0.1)]) == ("2026-11-22",)


def test_a_number_at_arxiv_is_told_as_that_of_the_preprint() -> None:
    """Though it is among the names of the work as well."""
    told = ARTICLE.model_copy(
        update={"kind": "preprint", "source": "arxiv", "identifiers": Identifiers(doi="10.1/x", arxiv="1912.00001")}
    )
    line = part(report(citing(ABSTRACT), ABSTRACT, accounts=(told,)).markdown, "References")
    assert "There is a preprint of it: [**arXiv:1912.00001**](<https://arxiv.org/abs/1912.00001>)." in line


def test_a_licence_is_named() -> None:
    entry = found("wikipedia", "Oil.", ARTICLE.model_copy(update={"licence": "CC BY-SA 4.0", "kind": "encyclopedia"}))
    assert "Licence: CC BY-SA 4.0. — wikipedia" in part(report(citing(entry), entry).markdown, "References")


def test_what_was_searched_says_when() -> None:
    later = found("pubmed", "Oil, again.", ARTICLE, at=NOON + 86_400)
    text = part(
        build_report(
            ReportMaterial(CALL.model_copy(update={"sources": ("pubmed",)}), citing(ABSTRACT), [ABSTRACT[0], later[0]]),
            {ABSTRACT[1].content_hash: ABSTRACT[1]},
            searched=days_of([line("failed", 0.5), line(at=3.0), line(at=1.0), line(undone=True, at=9.0)]),
        ).markdown,
        "What was searched",
    )
    assert text == ("Sources: pubmed. Searched from 2026-11-23 to 2026-11-25. Retrieved from 2026-11-22 to 2026-11-23.")


def test_a_day_on_which_everything_was_searched_and_retrieved_is_told_once() -> None:
    call = CALL.model_copy(update={"sources": ("pubmed",)})
    told = build_report(
        ReportMaterial(call, citing(ABSTRACT), [ABSTRACT[0]]),
        {ABSTRACT[1].content_hash: ABSTRACT[1]},
        searched=days_of([line()]),
    ).markdown
    assert part(told, "What was searched") == "Sources: pubmed. Searched on 2026-11-22."
    assert "— pubmed\n" in part(told, "References")
    assert told.count("2026-11-22") == 1


def test_a_report_of_before_is_read_as_it_was() -> None:
    old = {"number": 1, "document": "d", "title": "t", "source": "s", "locators": [], "content_hash": "0" * 64}
    reference = Reference.model_validate_json(json.dumps(old))
    assert (reference.work, reference.texts, reference.described_by) == (None, (), ())


HOSTILE = st.text(alphabet="ab [](){}<>*_`#|!&;\\\n\r\t1.-:/\"'", max_size=30)


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_no_words_of_strangers_are_markup_in_a_reference(title: str, name: str, note: str, url: str) -> None:
    work = ARTICLE.model_copy(
        update={
            "title": title,
            "authors": (name, f"{name}, {title}"),
            "venue": note,
            "notices": (note,),
            "flags": ("concern",),
            "url": f"https://{url}",
            "identifiers": Identifiers(doi=f"10.1/{name}", nct=note),
        }
    )
    given = found("pubmed", "Oil floats.", work, "d")
    result = report(citing(given), given)
    html = MarkdownIt("commonmark").render(result.markdown)
    assert set(re.findall(r"</?([a-z0-9]+)", html)) <= {"h1", "h2", "p", "ul", "ol", "li", "strong", "a", "blockquote"}
    assert html.count("<ol>") == html.count("<h1>") == 1
    assert re.findall(r"(?<!\\)\[\d+[^\]*]*\]", result.markdown) == ["[1, expression of concern]"]
    for target in re.findall(r'href="([^"]*)"', html):
        assert target.startswith(("https://", "http://"))


def test_a_work_of_ten_thousand_authors_is_one_line_of_six() -> None:
    crowd = ARTICLE.model_copy(update={"authors": tuple(f"Name{n}, A" for n in range(10_000))})
    given = found("pubmed", "Oil floats.", crowd)
    line = part(report(citing(given), given).markdown, "References")
    assert "Name5 A, et al. (2020)." in line
    assert len(line) < 1_000


def test_passages_know_their_work_by_any_of_its_names() -> None:
    works = Works([ABSTRACT[0], RECORD[0], PAGE[0]])
    assert works.of(ABSTRACT[0]) == works.of(RECORD[0])
    assert works.of(PAGE[0]) is None
    assert works.key(PAGE[0]) == ("docs", PAGE[0].content_hash)


def test_documents_of_one_work_have_one_number_and_works_of_one_title_two() -> None:
    title = "A study of oil in water"
    first, second, other = (
        (one.model_copy(update={"title": title}), text)
        for one, text in (found("docs", text, None, document=f"docs:{text}") for text in ("Oil.", "Water.", "Wine."))
    )
    short = [found("docs", text, None, document=f"docs:{text}") for text in ("Salt.", "Sand.")]
    of_another = Work(title=title, authors=("Bohr, Niels",), source="docs")
    other = (other[0].model_copy(update={"work": of_another}), other[1])
    first[0].__dict__.update(title=f"{title} > Methods", heading="Methods")
    everything = (first, second, other, *((one.model_copy(update={"title": "Notes"}), text) for one, text in short))
    made = report(citing(*everything), *everything)
    assert [one.number for one in made.citations] == [1, 1, 2, 3, 4]
    assert [one.number for one in made.references] == [1, 2, 3, 4]
    assert {one.content_hash for one in made.references[0].texts} == {first[1].content_hash, second[1].content_hash}
