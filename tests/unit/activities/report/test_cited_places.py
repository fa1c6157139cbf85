"""A verified quote is led to its lines on the page and to its cell in the table, and OCR is named beside it."""

from hashlib import sha256

from elcano.activities.agents.review_items import describe_cells
from elcano.activities.passages.document import Block, Document
from elcano.activities.passages.stored_places import StoredPlaces
from elcano.activities.report.citation_check import check_citations
from elcano.activities.report.statement_support import determine_support
from elcano.graphs.contracts import PublishCall
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.cells import CitedCell
from elcano.graphs.report.places import Box, Line
from elcano.graphs.report.report import CheckedCitation, Citation, Claim, Judgement, ReportDraft, Statement
from elcano.graphs.report.works import Work
from elcano.storage.evidence import Evidence, StoredText, format_page
from tests.unit.activities.report.rendered import render_draft
from tests.unit.subjects.documents.placed import assemble, table_block

TOP, BELOW = Box(0.1, 0.9, 0.8, 0.92), Box(0.1, 0.08, 0.5, 0.1)
SENTENCE = "Deaths fell by twelve percent in the treated group."
CROSSING = Block(
    SENTENCE,
    page=7,
    lines=(
        Line(0, 29, 7, TOP, (0.1, 0.25, 0.35, 0.45, 0.6)),
        Line(30, len(SENTENCE), 8, BELOW, (0.1, 0.2, 0.3, 0.4)),
    ),
)
TABLE = table_block([["Drug", "Deaths", "Patients"], ["Aspirin", "12", "230"], ["Placebo", "31", "228"]], page=9)
PAPER = assemble(CROSSING, TABLE, labels=("",) * 6 + ("iv", "v", "vi"))
AUTHORS = Work(title="Trial", authors=("Roe, Ann",), kind="document", source="docs")


def keep(document: Document) -> StoredText:
    digest = sha256(document.text.encode()).hexdigest()
    return StoredText(content_hash=digest, document="docs:trial.pdf", title="Trial", text=document.text)


def passage(document: Document, number: int, work: Work | None = None, **metadata: JsonObject) -> Evidence:
    part, text = document.passages[number], keep(document)
    stored = StoredPlaces(document.places)
    described = stored.describe(part.start, part.end, part.page)
    return Evidence(
        id=f"docs:trial.pdf:{part.start}",
        source="docs",
        document=text.document,
        content_hash=text.content_hash,
        title="Trial",
        locator=f"trial.pdf, page {format_page(part.page, described)}",
        text=document.text[part.start : part.end],
        start=part.start,
        end=part.end,
        places=stored.cut(part.start, part.end),
        metadata={
            "data_hash": "0" * 64,
            "page": part.page,
            **described,
            **metadata,
        },
        work=work,
    )


def cite(document: Document, *quotes: str, work: Work | None = None, **metadata: JsonObject) -> list[CheckedCitation]:
    return list(check(document, *quotes, work=work, **metadata)[0])


def check(
    document: Document, *quotes: str, work: Work | None = None, **metadata: JsonObject
) -> tuple[tuple[CheckedCitation, ...], str]:
    given = [passage(document, number, work, **metadata) for number in range(len(document.passages))]
    holding = {quote: next(one.id for one in given if quote in one.text) for quote in quotes}
    text = keep(document)
    claims = tuple(
        Claim(text=f"{quote} [a]", citations=(Citation(evidence=id, quote=quote, mark="a"),))
        for quote, id in holding.items()
    )
    draft = ReportDraft(title="T", key_findings=claims)
    checked = check_citations(draft, given, {text.content_hash: text})
    call = PublishCall(
        run_id="run", question="How many died?", mode="iterative", models=("m",), draft=None, evidence=()
    )
    return checked.citations, render_draft(call, checked)


def test_a_quote_over_two_pages_has_a_mark_on_each() -> None:
    (cited,) = cite(PAPER, "by twelve percent in the treated group")
    assert [mark.page for mark in cited.marks] == [7, 8]
    assert (cited.page, cited.page_label, cited.printed_page) == (7, "iv", "iv")
    first, second = cited.marks
    assert first.box == TOP._replace(left=0.35), "words before the quote are not marked"
    assert second.box == BELOW


def test_a_quote_that_begins_on_the_second_page_of_its_passage_says_so() -> None:
    cited, told = check(PAPER, "in the treated group", "Aspirin | 12")
    assert (cited[0].page, cited[0].page_label) == (8, "v")
    assert "trial.pdf, page 8 (v): “in the treated group”" in told


def test_a_figure_leads_to_its_cell_and_the_heads_of_its_row_and_column() -> None:
    (cited,) = cite(PAPER, "31")
    (cell,) = cited.cells
    assert (cell.row, cell.column, cell.text) == (2, 1, "31")
    assert cell.names == ("Placebo", "Deaths")
    assert [mark.page for mark in cited.marks] == [9]


def test_a_row_has_its_cells_without_the_heads() -> None:
    (cited,) = cite(PAPER, "Aspirin | 12 | 230")
    assert [(one.row, one.column, one.column_head) for one in cited.cells] == [
        (1, 0, "Drug"),
        (1, 1, "Deaths"),
        (1, 2, "Patients"),
    ]


def test_the_report_names_the_cell_of_a_figure_and_the_page_of_each_quote() -> None:
    _, told = check(PAPER, "31", "Deaths fell by twelve percent", work=AUTHORS)
    assert "trial.pdf, page 9 (vi): “31” (in the table: Placebo, Deaths)" in told
    assert told.index("trial.pdf, page 7") < told.index("trial.pdf, page 9"), "in the order of the pages, not of citing"
    assert "Cited from" not in told, "each place stands with its quote"


def test_the_report_says_how_sure_ocr_was_of_a_quote() -> None:
    scan = assemble(Block("Eleven ships were lost.", page=1, confidence=0.829))
    (cited,), told = check(scan, "Eleven ships were lost")
    assert cited.confidence == 0.829
    assert "(read by OCR, 82 % sure)" in told
    (plain,), told = check(assemble(Block("Eleven ships were lost.", page=1)), "Eleven ships were lost")
    assert plain.confidence is None
    assert "OCR" not in told


def test_old_evidence_gives_the_citation_that_it_always_gave() -> None:
    text = keep(PAPER)
    old = passage(PAPER, 0).model_copy(update={"places": type(passage(PAPER, 0).places)(), "metadata": {"page": 7}})
    draft = ReportDraft(
        title="T", key_findings=(Claim(text="x", citations=(Citation(evidence=old.id, quote="Deaths fell"),)),)
    )
    (cited,) = check_citations(draft, [old], {text.content_hash: text}).citations
    kept = {"claim", "evidence", "quote", "verdict", "number", "start", "end", "content_hash"}
    assert cited.model_dump().keys() == kept
    assert CheckedCitation.model_validate(cited.model_dump(include=kept)) == cited


def test_a_statement_that_does_not_hold_is_listed_once_though_it_stands_twice() -> None:
    claim = Claim(text="Whales fly [a].", citations=(Citation(evidence="nowhere", quote="Whales fly", mark="a"),))
    draft = ReportDraft(title="T", key_findings=(claim,), conclusion=(claim,))
    call = PublishCall(
        run_id="run", question="Do whales fly?", mode="iterative", models=("m",), draft=None, evidence=()
    )
    told = render_draft(call, check_citations(draft, [], {}))
    assert told.count("— the passage it cites was never given to the writer") == 1


def cite_cell(text: str, column: str) -> CheckedCitation:
    cell = CitedCell(row=1, column=1, text=text, row_head="BM25", column_head=column)
    return CheckedCitation(claim="", evidence="e1", quote=f"BM25 | {text}", verdict="verified", cells=(cell,))


def test_what_names_a_quoted_cell_need_not_be_quoted() -> None:
    cited = cite_cell("0.25", "TREC 2004 > MAP")
    said = Statement(text="BM25 reaches 0.25 in TREC 2004.", kind="fact", citations=(cited,))
    review = Judgement(statement=said.text, support="supported")
    assert determine_support(said, (), review).support == "supported"
    bare = said.model_copy(update={"citations": (cited.model_copy(update={"cells": ()}),)})
    assert "2004" in determine_support(bare, (), review).reason


def test_a_reviewer_is_shown_in_which_column_a_figure_stands() -> None:
    cited = [cite_cell("0.25", "TREC 2004 > MAP"), cite_cell("0.41*", "TREC 2004 > P@10")]
    assert list(describe_cells("0.41", cited)) == ["BM25; TREC 2004 > P@10: 0.41*"]
