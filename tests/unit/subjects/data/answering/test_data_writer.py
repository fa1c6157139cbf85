from collections.abc import Mapping

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo

from elcano.graphs.agents.writing import SectionProse
from elcano.graphs.report.report import Citation, Report, ReportDraft
from elcano.storage.store import Store
from elcano.subjects.data.agents.data_writer import DataProse
from elcano.subjects.data.answering.number_proofs import ProofCheck
from elcano.subjects.data.data_answer import NumberProof, read_data_answer
from elcano.subjects.data.tables import Cell, Kind, ResultTable
from elcano.testing import ScriptedModel
from elcano.testing.model import Answers
from tests.unit.subjects.data.answering.answering import published, written
from tests.unit.subjects.data.answering.tables import REVENUE, at, proof, table

QUESTION = "Which region had the most revenue in 2024?"


SHAPES: list[tuple[str, ResultTable, str]] = [
    ("one cell", table([("COUNT(*)", "integer")], [(1204,)]), "COUNT(\\*) is 1,204 [1]."),
    ("a fraction", table([("avg", "decimal")], [(0.012345,)]), "avg is 0.0123 [1]."),
    ("a large one", table([("n", "integer")], [(10**18,)]), "n is 1,000,000,000,000,000,000 [1]."),
    ("nothing", table([("n", "integer")], [(None,)]), "n has no value (NULL) [1]."),
    ("no row", table([("n", "integer")], []), "The query found no row [1]."),
    ("one row", table([("a", "text"), ("b", "integer")], [("x", -3)]), "a is x; b is -3 [1]."),
    (
        "several rows",
        table([("region", "text"), ("n", "integer")], [("Nord 1", 5), ("Süd_2", 7)]),
        "In the first row, region is Nord 1; n is 5 [1].",
    ),
    (
        "cut",
        table([("region", "text"), ("n", "integer")], [("Nord", 5), ("Süd", 7)], truncated=True),
        "In the first row, region is Nord; n is 5 [1].",
    ),
]


@pytest.mark.parametrize(("shape", "result", "said"), SHAPES, ids=[shape for shape, _, _ in SHAPES])
async def test_rules_answer_every_shape_and_prove_all_of_their_numbers(
    store: Store, shape: str, result: ResultTable, said: str
) -> None:
    draft = await written(store, "How many are there?", [result])
    report = await published(store, "How many are there?", draft)
    data = read_data_answer(draft.attachments)
    assert data is not None
    assert [one for one in data.numbers if one.status not in ("proven", "given", "named")] == []
    assert said in report.markdown, report.markdown
    assert "No language model was used" in report.markdown
    assert "```sql\nSELECT region" in report.markdown
    assert not report.unverified
    assert "What could not be verified" not in report.markdown


HOSTILE = table(
    [("a|b](http://x) <b>", "text"), ("`n`", "integer"), ("日本", "text")],
    [
        ("x | [1] <script>alert(1)</script>\n\n# head", 1, "a"),
        ("![i](http://x) $x$ **b**", 20_000_000, "{signal: 5}"),
        (None, None, None),
    ],
)


@pytest.mark.parametrize("question", ["How many?", "Wie viele Bestellungen gab es?", "¿Cuántos?", "多少?"])
async def test_names_and_values_of_strangers_are_no_markup(store: Store, question: str) -> None:
    report = await published(store, question, await written(store, question, [HOSTILE]))
    assert "<script" not in report.markdown
    assert "<b>" not in report.markdown.replace("\\<b>", "")
    assert "](http" not in report.markdown.replace("\\](http", "").replace("\\]\\(http", "")
    assert "\n# head" not in report.markdown
    data = read_data_answer(report.attachments)
    assert data is not None
    assert not data.doubtful, data.doubtful


def prose(text: str, *numbers: NumberProof, rows: str = "Row 1", title: str = "Revenue") -> DataProse:
    return DataProse(
        title=title, introduction=text, numbers=numbers, citations=(Citation(evidence="r1", quote=rows, mark="a"),)
    )


class Listening(ScriptedModel):
    """Keeps all that it is told."""

    def __init__(self, answers: Mapping[str, Answers]) -> None:
        self.heard: list[str] = []
        super().__init__(answers)

    async def _respond(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.heard.append(str(messages[-1]))
        return await super()._respond(messages, info)


RIGHT = prose(
    "Nord had the most revenue in 2024, 120,400.50, which is 22,400.25 more than Süd [a].",
    proof("120,400.50", "cell", at("revenue", 1)),
    proof("22,400.25", "difference", at("revenue", 1), at("revenue", 2)),
    rows="Row 1",
)
WRONG = prose(
    "Nord had the most revenue in 2024, 120,400.50, which is 22,400.26 more than Süd [a].",
    proof("120,400.50", "cell", at("revenue", 1)),
    proof("22,400.26", "difference", at("revenue", 1), at("revenue", 2)),
)


async def test_a_model_that_names_its_cells_is_proven(store: Store) -> None:
    model = ScriptedModel({"data_writer": RIGHT})
    report = await published(store, QUESTION, await written(store, QUESTION, [REVENUE], model))
    data = read_data_answer(report.attachments)
    assert data is not None
    assert [(one.text, one.status) for one in data.numbers] == [
        ("2024", "given"),
        ("120,400.50", "proven"),
        ("22,400.25", "proven"),
    ]
    assert "Of 3 numbers: 2 recomputed from result cells, 1 given in the question or its context" in report.markdown
    assert "What could not be verified" not in report.markdown
    (reference,) = report.references
    assert reference.title == "Result of a query to the database sales"
    assert reference.locators[0].startswith("sales, query ")
    assert reference.locators[0].endswith("2026-11-22T17:00:00Z")
    quotes = {one.quote for one in report.citations}
    assert quotes == {"Row 1: Nord | 120400.50 | 1204 | 2024-03-01 | Route 66"}


async def test_a_number_that_does_not_follow_goes_back_once_with_the_reason(store: Store) -> None:
    model = Listening({"data_writer": [WRONG, RIGHT]})
    draft = await written(store, QUESTION, [REVENUE], model)
    data = read_data_answer(draft.attachments)
    assert data is not None
    assert not data.doubtful
    _, told = model.heard
    assert "the number “22,400.26”" in told
    assert "the cells that it names give 22400.25" in told


async def test_what_still_does_not_follow_is_marked_and_listed(store: Store) -> None:
    model = ScriptedModel({"data_writer": [WRONG, WRONG]})
    report = await published(store, QUESTION, await written(store, QUESTION, [REVENUE], model))
    data = read_data_answer(report.attachments)
    assert data is not None
    (doubtful,) = data.doubtful
    assert (doubtful.text, doubtful.status, doubtful.value) == ("22,400.26", "wrong", "22400.25")
    assert "(not supported)" in report.markdown
    assert "“22,400.26”: the cells that it names give 22400.25" in report.markdown
    assert "**1 not verified**" in report.markdown


async def test_numbers_of_headings_titles_tables_and_code_count_as_well(store: Store) -> None:
    answer = prose(
        "Nord won [a].\n\n| 31 | x |\n|---|---|\n| 32 | y |\n\n```\n33\n```", title="In 34 weeks"
    ).model_copy(
        update={
            "sections": (SectionProse(heading="The 35 best", text="Süd came second [a]."),),
            "limitations": ("Of 36.",),
        }
    )
    draft = await written(store, QUESTION, [REVENUE], ScriptedModel({"data_writer": [answer, answer]}))
    data = read_data_answer(draft.attachments)
    assert data is not None
    assert {one.text.split()[0] for one in data.doubtful} == {"31", "32", "33", "34", "35", "36"}
    report = await published(store, QUESTION, draft)
    listed = report.markdown.partition("## What could not be verified")[2]
    assert all(str(number) in listed for number in range(31, 37))


async def test_without_a_result_nothing_is_answered(store: Store) -> None:
    draft = await written(store, QUESTION, [], gaps=["The path for 2023 did not end within 15 s."])
    report = await published(store, QUESTION, draft)
    assert not report.answered
    assert "No query gave a result" in report.markdown
    assert "The path for 2023 did not end within 15 s." in report.markdown


async def test_choices_and_repairs_stand_beside_the_query(store: Store) -> None:
    queries = [
        {
            "query": {
                "database": "sales",
                "dialect": "sqlite",
                "sql": REVENUE.sql,
                "reasons": ["region names the rows"],
                "choices": ["`amount` was taken for revenue, not `net`"],
            },
            "repairs": [
                {"before": "SELECT x", "after": REVENUE.sql, "reason": "there is no x", "changes_meaning": True}
            ],
        }
    ]
    report = await published(store, QUESTION, await written(store, QUESTION, [REVENUE], queries=queries))
    for said in (
        "Because: region names the rows",
        "**Chosen:**",
        "answer a different question:** there is no x",
    ):
        assert said in report.markdown


async def test_a_report_of_before_there_were_answers_is_the_same_bytes(store: Store) -> None:
    draft = ReportDraft(title="t")
    assert '"data"' not in draft.model_dump_json()
    report = await published(store, QUESTION, draft)
    assert '"data"' not in report.model_dump_json()
    assert Report.model_validate_json(report.model_dump_json()) == report


async def test_every_digit_that_is_changed_in_an_answer_by_rules_is_found(store: Store) -> None:
    rows: list[tuple[Cell, ...]] = [("Nord 17", "120400.50"), ("Süd", "98123.25"), ("Ost", "-1563.00")]
    columns: list[tuple[str, Kind]] = [("region", "text"), ("revenue", "decimal")]
    for result in (table(columns, rows), table(columns, rows[:1])):
        draft = await written(store, "How much?", [result])
        data = read_data_answer(draft.attachments)
        assert data is not None
        said = data.numbers[0].statement
        named = [
            NumberProof(text=one.text, operation=one.operation, cells=one.cells)
            for one in data.numbers
            if one.operation
        ]
        proving = ProofCheck(named, [result])
        shown = {one.text for one in data.numbers}
        for place, digit in ((place, digit) for place, digit in enumerate(said) if digit.isdigit()):
            for other in "0123456789":
                if other != digit:
                    changed = proving.verdicts(said[:place] + other + said[place + 1 :])
                    new = [one for one in changed if one.status != "proven"]
                    assert new or {one.text for one in changed} <= shown, (said, place, other)
