"""The reviewer sees a table once, with its heads and numbered cells, and its verdicts count cell by cell."""

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest

from elcano.activities.agents.answer_correction import checked_draft
from elcano.activities.agents.review_items import TABLE_CELLS, TableItem, iter_review_items
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.review import ReviewedTable
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Citation, Claim, ReportDraft
from elcano.graphs.text import ensure_list
from elcano.storage.store import Store
from tests.unit.activities.agents.material import passage, stored
from tests.unit.activities.agents.test_reviewing import Scripted, scripted, written

__all__ = ["scripted"]
MIC = passage(
    3,
    "TABLE 1 MIC values of strains. Strain AMP GEN NOV\nAB05 512 4 8\nAB20 32 2 16\nBoth strains grow at 37 degrees.",
    title="Strains",
)
QUOTES = {"a": "AB05 512 4 8", "b": "AB20 32 2 16"}
TABLE = """\
| Strain | AMP | GEN | NOV |
|---|---|---|---|
| AB05 | 512 [a] | 8 [a] | 8 [a] |
| AB20 | 32 [b] | 2 [b] | 16 [b] |"""
CITATIONS = [{"mark": mark, "evidence": "e1", "quote": quote} for mark, quote in QUOTES.items()]
ANSWER: JsonObject = {
    "title": "MIC",
    "key_findings": f"MIC values are:\n\n{TABLE}",
    "citations": [dict(one) for one in CITATIONS],
}


@pytest.fixture
async def store(store: Store) -> Store:
    await store.of("default").evidence.add("run-1", (MIC,), [stored(MIC)])
    return store


def verdicts(*given: tuple[int, str]) -> JsonObject:
    return {"verdicts": [{"id": id, "support": support, "reason": "wrong column"} for id, support in given]}


async def test_a_table_is_shown_once_with_its_heads_and_each_quote_once(store: Store, scripted: Scripted) -> None:
    model = scripted(writer=ANSWER, reviewer=verdicts((1, "supported"), (2, "supported")))
    await written(store, evidence=(MIC.id,))
    (task,) = (one for one in model.tasks if one.kind == "reviewer")
    (shown,) = ensure_list(task.given["tables"])
    table = ReviewedTable.model_validate(shown)
    assert table.table.splitlines() == [
        "| Strain | AMP | GEN | NOV |",
        "|---|---|---|---|",
        "| AB05 | {3} 512 | {4} 8 | {5} 8 |",
        "| AB20 | {6} 32 | {7} 2 | {8} 16 |",
    ]
    assert (table.id, table.before) == (2, "MIC values are:")
    assert [(one.cells, one.quote) for one in table.quotes] == [("3-5", QUOTES["a"]), ("6-8", QUOTES["b"])]
    assert table.quotes[0].context.endswith("Strain AMP GEN NOV")
    assert table.quotes[1].context == ""
    assert json.dumps(task.given).count("AB05 512") == 1


@pytest.mark.parametrize(
    ("given", "supports"),
    [
        ([(2, "supported"), (4, "not_supported")], ["supported", "not_supported", *["supported"] * 4]),
        ([(2, "supported")], ["supported"] * 6),
        ([(2, "not_supported")], ["not_supported"] * 6),
        ([(2, "partly"), (4, "not_supported")], ["unchecked", "not_supported", *["unchecked"] * 4]),
        ([(4, "not_supported")], ["unchecked", "not_supported", *["unchecked"] * 4]),
        ([], ["unchecked"] * 6),
        (
            [(2, "supported"), (4, "supported"), (4, "not_supported")],
            ["supported", "not_supported", *["supported"] * 4],
        ),
        ([(2, "supported"), (9, "not_supported"), (0, "partly")], ["supported"] * 6),
    ],
)
async def test_cells_without_a_verdict_have_that_of_the_table(
    store: Store, scripted: Scripted, given: list[tuple[int, str]], supports: list[str]
) -> None:
    scripted(writer=ANSWER, reviewer=verdicts((1, "supported"), *given))
    draft = await written(store, evidence=(MIC.id,))
    cells = {one.context: one for one in draft.judgements if one.context}
    assert [one.support for one in cells.values()] == supports
    assert list(cells)[:2] == ["AB05, AMP", "AB05, GEN"]
    assert {one.quotes for one in cells.values()} == {(quote,) for quote in QUOTES.values()}
    for one in cells.values():
        assert bool(one.reason) is (one.support in ("partly", "not_supported"))


async def test_the_fault_of_a_cell_names_its_row_and_column(store: Store, scripted: Scripted) -> None:
    model = scripted(writer=ANSWER, reviewer=verdicts((2, "supported"), (4, "not_supported")), reviser={"blocks": []})
    await written(store, evidence=(MIC.id,))
    (task,) = (one for one in model.tasks if one.kind == "reviser")
    assert "“AB05, GEN: 8”: wrong column" in json.dumps(task.given, ensure_ascii=False)


async def items(store: Store, *texts: str, done: int = 0) -> Sequence[Any]:
    citations = tuple(Citation.model_validate(one | {"evidence": MIC.id}) for one in CITATIONS)
    draft = ReportDraft(title="MIC", key_findings=tuple(Claim(text=text, citations=citations) for text in texts))
    checked = await checked_draft(store.of("default"), draft, "What?")
    everything = [key for item in iter_review_items(checked, set()) for key in item.keys]
    return list(iter_review_items(checked, set(everything[:done])))


async def test_cells_that_were_judged_are_shown_without_a_number(store: Store) -> None:
    (item,) = await items(store, TABLE, done=4)
    assert item.show(1).table.splitlines()[2:] == ["| AB05 | 512 | 8 | 8 |", "| AB20 | 32 | {2} 2 | {3} 16 |"]
    assert [one.quote for one in item.show(1).quotes] == [QUOTES["b"]]
    assert await items(store, TABLE, done=6) == []


async def test_a_table_that_is_shown_again_is_asked_about_cells_without_a_verdict(
    store: Store, scripted: Scripted
) -> None:
    first = verdicts((1, "supported"), (2, "partly"), (4, "not_supported"))
    mended = {"blocks": [{"id": 1, "text": TABLE.replace("8 [a] | 8", "4 [a] | 8"), "citations": CITATIONS}]}
    model = scripted(writer=ANSWER, reviewer=[first, verdicts((1, "supported"))], reviser=mended)
    draft = await written(store, evidence=(MIC.id,))
    _, task = (one for one in model.tasks if one.kind == "reviewer")
    (shown,) = ensure_list(task.given["tables"])
    assert ReviewedTable.model_validate(shown).table.splitlines()[2:] == [
        "| AB05 | {2} 512 | {3} 4 | {4} 8 |",
        "| AB20 | {5} 32 | {6} 2 | {7} 16 |",
    ]
    last = {one.key: one.support for one in draft.judgements}
    assert [support for key, support in last.items() if key.context and key.text != "8"] == ["supported"] * 5


async def test_cells_without_a_verdict_are_no_reason_to_show_a_table_again(store: Store) -> None:
    (item,) = await items(store, TABLE)
    citations = tuple(Citation.model_validate(one | {"evidence": MIC.id}) for one in CITATIONS)
    draft = ReportDraft(title="MIC", key_findings=(Claim(text=TABLE, citations=citations),))
    checked = await checked_draft(store.of("default"), draft, "What?")
    assert not list(iter_review_items(checked, {*item.keys}, frozenset(item.keys)))


async def test_a_table_of_200_rows_is_shown_in_pieces_with_the_heads_and_loses_no_cell(store: Store) -> None:
    rows = "\n".join(f"| S{number} | 512 [a] | 4 [a] | 8 [b] |" for number in range(200))
    pieces = await items(store, "\n".join([*TABLE.splitlines()[:2], rows]))
    assert all(isinstance(one, TableItem) and len(one.keys) <= TABLE_CELLS for one in pieces)
    assert all(one.show(1).table.startswith("| Strain | AMP | GEN | NOV |\n|---|---|---|---|\n") for one in pieces)
    assert len({key for one in pieces for key in one.keys}) == 600


async def test_of_a_table_of_200_rows_the_one_cell_that_is_doubted_is_marked(store: Store, scripted: Scripted) -> None:
    rows = [f"| S{number} | 512 [a] | 4 [a] | {16 if number == 150 else 8} [a] |" for number in range(200)]
    table = "\n".join([*TABLE.splitlines()[:2], *rows])

    def review(task: TaskEnvelope) -> JsonObject:
        shown = [ReviewedTable.model_validate(one) for one in ensure_list(task.given.get("tables"))]
        wrong = [int(one) for each in shown for one in re.findall(r"{(\d+)} 16 ", each.table)]
        return verdicts(*((one.id, "supported") for one in shown), *((one, "not_supported") for one in wrong))

    model = scripted(writer=ANSWER | {"key_findings": table}, reviewer=review)
    draft = await written(store, evidence=(MIC.id,))
    assert sum(task.kind == "reviewer" for task in model.tasks) > 1
    cells = {one.context: one.support for one in draft.judgements}
    assert len(cells) == 600
    assert [context for context, support in cells.items() if support != "supported"] == ["S150, NOV"]


async def test_equal_tables_are_asked_about_once_and_heads_that_cite_are_cells(store: Store) -> None:
    heads = TABLE.replace("AMP", "AMP [a]")
    first, *others = await items(store, TABLE, TABLE, heads)
    assert len(first.keys) == 6
    assert [len(one.keys) for one in others] == [1]
    assert others[0].show(1).table.startswith("| Strain | {2} AMP |")


async def test_words_of_a_cell_are_no_number_and_no_border(store: Store) -> None:
    (item,) = await items(store, TABLE.replace("512 [a]", r"{4} \| 512 [a]"))
    assert r"| AB05 | {2} (4) \| 512 |" in item.show(1).table
