"""What a strong model writes comes out as it went in: from its answer to the report, byte for byte."""

from elcano.activities.agents.answer_drafts import draft_from_prose, with_canonical_ids
from elcano.activities.report.additions import ReportMaterial
from elcano.activities.report.report_builder import build_report
from elcano.graphs.agents.writing import ReportProse
from elcano.graphs.report.report import Report
from tests.unit.activities.report.test_rendering import CALL, OIL, TEXT, WATER

TABLE = """\
| Good | Price | Source |
|:-----|------:|--------|
| Oil | dear [a] | `a\\|b` |
| Water | cheap [b] | $p_w < p_o$ |"""
CODE = (
    "```python\ndef price(goods: list[str]) -> float:\n    return float(goods[0])  # [a] <b> & [1]\n\n\nprint(1)\n```"
)
FORMULA = "$$\np = \\frac{\\sum_{i=1}^{n} p_i}{n}\n$$"
LIST = """\
1. Oil is dear [a].
   - Water is cheap [b].
   - Both burn, so they say [from a, b].
2. Nothing else:
   ```sh
   ls
   ```"""
QUOTED = "> Oil is dear\n> [a]."
ANSWER = ReportProse.model_validate(
    {
        "title": "Prices",
        "introduction": "Oil is dear [a], and water is cheap. [b] So drink water [from a, b].",
        "sections": [
            {
                "heading": "Goods",
                "text": "\n\n".join(["# Goods", "They compare so:", TABLE, "## How", CODE, FORMULA, LIST]),
            }
        ],
        "conclusion": f"As was said:\n\n{QUOTED}\n\n## References\n\n1. Prices, https://example.org",
        "citations": [
            {"mark": "a", "evidence": "e1", "quote": "Oil is dear"},
            {"mark": "b", "evidence": "e2", "quote": "Water is"},
            {"mark": "c", "evidence": "e2", "quote": "cheap"},
        ],
    }
)


def report(answer: ReportProse = ANSWER) -> Report:
    draft = with_canonical_ids(draft_from_prose(answer), {"e1": OIL.id, "e2": WATER.id})
    return build_report(ReportMaterial(CALL, draft, [OIL, WATER]), {TEXT.content_hash: TEXT})


def test_a_report_names_the_language_of_its_text() -> None:
    assert report().language == "en"
    assert report(ReportProse(title="Oil", introduction="石油很贵。水很便宜。")).language == "zh"


def numbered(text: str) -> str:
    """`text` with numbers for its marks; what is code stays."""
    for mark, number in (("[a]", "[1]"), ("[b]", "[1]"), ("[from a, b]", "(inferred from [1])")):
        text = text.replace(mark, number)
    return text


def test_every_kind_of_block_comes_out_as_it_went_in() -> None:
    shown = report().markdown
    for block in (numbered(TABLE), "### How", CODE, FORMULA, numbered(LIST), numbered(QUOTED)):
        assert f"\n\n{block}\n\n" in shown
    assert "\n\nOil is dear, and water is cheap. [1] So drink water (inferred from [1]).\n\n## Goods\n\nThey" in shown
    assert "not verified" not in shown


def test_the_data_say_the_same_as_the_text() -> None:
    made_of = report()
    blocks = [block for part in made_of.parts for block in part.blocks]
    assert [block.kind for block in blocks] == [
        *("paragraph", "paragraph", "table", "heading", "code", "formula", "list", "paragraph", "quotation"),
    ]
    assert all(block.markdown in made_of.markdown for block in blocks)
    said = [one for block in blocks for one in block.statements]
    assert [one.kind for one in said if one.citations] == [
        *("fact", "inference"),
        *("fact", "fact"),
        *("fact", "fact", "inference"),
        "fact",
    ]
    assert [one.context for one in said if one.text == "dear"] == ["Oil, Price"]
    assert len(made_of.citations) == sum(len(one.citations) for one in said)
    assert made_of.warnings[:2] == (
        "A list of references that the writer wrote itself was left out.",
        "1 citation has its mark behind no sentence of the writer's text and counted for none.",
    )
    assert Report.model_validate_json(made_of.model_dump_json()) == made_of
