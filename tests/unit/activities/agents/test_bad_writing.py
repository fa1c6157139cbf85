"""Writers that answer badly: reports stay whole, and no statement is lost or doubled by a repair."""

import json
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from elcano.activities.agents.answer_correction import find_nearest_words
from elcano.activities.agents.draft_faults import LOST
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Report
from elcano.testing.model import ScriptedModel
from elcano.testing.research import run_research
from elcano.testing.source import ScriptedSource

QUESTION = "Why does oil float on water?"
TEXTS = {
    "density": "Oil is lighter than water, so it floats on water. Salt makes water heavier still.",
    "mixing": "Oil does not mix with water, because its molecules are not polar.",
    "burning": "Burning oil on water must never be put out with water.",
}
FLOATS: JsonObject = {"mark": "a", "evidence": "e1", "quote": "it floats on water"}
MIXES: JsonObject = {"mark": "b", "evidence": "e2", "quote": "Oil does not mix with water"}
GOOD = "Oil floats on water [a]. It does not mix with it [b]."


def answer(introduction: str = GOOD, *citations: JsonObject, **more: Any) -> JsonObject:
    return {"title": "Oil", "introduction": introduction, "citations": list(citations or (FLOATS, MIXES)), **more}


async def report_of(
    folder: Path, writer: Any, reviser: Any = None, texts: Mapping[str, str] = MappingProxyType({})
) -> tuple[Report, ScriptedModel]:
    """The report of a run over all passages, which are shown in the order of their finding; `texts` replace some."""
    source = ScriptedSource("library", {**TEXTS, **texts})
    model = ScriptedModel({"writer": _by_titles(writer), "reviser": _by_titles(reviser or {"blocks": []})})
    came = await run_research(QUESTION, folder=folder, sources=[source], model=model, mode="simple")
    return came.report, model


def _by_titles(said: Any) -> Any:
    """What is answered, with the keys that the passages of these titles have in the task."""
    if not isinstance(said, dict):
        return said

    def answered(task: TaskEnvelope) -> JsonObject:
        found = {item.title: item.key for item in task.evidence}
        text = json.dumps(said)
        for key, title in (("e1", "density"), ("e2", "mixing"), ("e3", "burning")):
            text = text.replace(f'"{key}"', json.dumps(f"@{title}"))
        for title in TEXTS:
            text = text.replace(f'"@{title}"', json.dumps(found.get(title, "e77")))
        made: JsonObject = json.loads(text)
        return made

    return answered


@pytest.mark.parametrize(
    ("writer", "said", "doubted"),
    [
        (answer("Floats on water [a]"), "Floats on water", 0),
        (answer("Oil floats on water. It does not mix with it."), "Oil floats on water", 1),
        (answer(GOOD, {**FLOATS, "evidence": "e99"}, {**MIXES, "evidence": "e98"}), "Oil floats on water", 0),
        (answer(GOOD, {**FLOATS, "quote": "it swims on water"}, MIXES), "Oil floats on water", 1),
        (answer("L'huile flotte sur l'eau [a]."), "L'huile flotte sur l'eau", 0),
        (answer("No passage found says how deep it floats.", FLOATS), "No passage found says how deep it floats.", 0),
        (answer("The passages found do not say it. No passage found is deep.", FLOATS), "The passages found do not", 0),
        (answer("No passage gives its depth, or none does.", FLOATS), "No passage gives its depth", 0),
        (answer("No passage gives its depth; it floats.", FLOATS), "No passage gives its depth", 1),
        (answer("No passage gives its depth, but it floats.", FLOATS), "No passage gives its depth", 1),
        (answer("The passages do not give its depth, but it floats.", FLOATS), "The passages do not give", 1),
        (answer("No passage address was given.", FLOATS), "No passage address was given", 1),
        (answer("No passage of oil floats.", FLOATS), "No passage of oil floats", 1),
        (answer("Oil floats on water, and it is light, [a] but [b] heavy"), "Oil floats on water", 0),
    ],
    ids=(
        "half a sentence",
        "no marks",
        "old keys",
        "a bad quote",
        "another language",
        "nothing found",
        "and more",
        "nothing given",
        "a fact behind it",
        "a fact behind a comma",
        "a fact behind passages",
        "an address",
        "another passage",
        "odd marks",
    ),
)
async def test_a_report_stays_whole(tmp_path: Path, writer: JsonObject, said: str, doubted: int) -> None:
    report, _ = await report_of(tmp_path, writer)
    assert said in report.markdown
    assert report.markdown.startswith("# Oil\n")
    assert len(report.unverified) == doubted
    assert all(one.number is None for one in report.unverified)
    assert "## References" in report.markdown or not any(one.number for one in report.citations)


async def test_a_bad_quote_that_is_repeated_is_told_once_and_never_shown_as_verified(tmp_path: Path) -> None:
    bad: JsonObject = {**FLOATS, "quote": "it always floats upon the water"}
    again = {"blocks": [{"id": 1, "text": GOOD, "citations": [bad, MIXES]}]}
    report, model = await report_of(tmp_path, answer(GOOD, bad, MIXES), again)
    told = [task for task in model.tasks if task.kind == "reviser"]
    assert len(told) == 1
    assert "The nearest words are there: “it floats on water.”" in json.dumps(told[0].given, ensure_ascii=False)
    assert "Oil floats on water (not verified)" in report.markdown
    assert [one.quote for one in report.unverified] == [bad["quote"]]


async def test_a_bad_quote_of_the_wrong_passage_is_told_where_its_words_stand(tmp_path: Path) -> None:
    slipped: JsonObject = {"mark": "a", "evidence": "e2", "quote": "it always floats on the water"}
    mended = {"blocks": [{"id": 1, "text": GOOD, "citations": [FLOATS, MIXES]}]}
    report, model = await report_of(tmp_path, answer(GOOD, slipped, MIXES), mended)
    told = next(task for task in model.tasks if task.kind == "reviser")
    key = next(item.key for item in told.evidence if item.title == "density")
    assert f"The nearest words are in {key}: “it floats on water.”" in json.dumps(told.given, ensure_ascii=False)
    assert not report.unverified


async def test_a_figure_that_a_repair_drops_is_named_if_its_passage_has_it(tmp_path: Path) -> None:
    said = "Oil has 92 % of the density of water, and 45 people drowned [a]."
    texts = {**TEXTS, "density": "Oil is lighter than water, with 92 % of its density, so it floats on water."}
    mended = {"blocks": [{"id": 1, "text": "Oil floats on water [a].", "citations": [FLOATS]}]}
    model = ScriptedModel({"writer": _by_titles(answer(said, FLOATS)), "reviser": _by_titles(mended)})
    source = ScriptedSource("library", texts)
    came = await run_research(QUESTION, folder=tmp_path, sources=[source], model=model, mode="simple")
    lost = [one for one in came.report.warnings if one.startswith(LOST)]
    assert len(lost) == 1
    assert "92 % (" in lost[0]
    assert "45" not in lost[0].partition("(")[0]


async def test_a_mark_that_a_repair_gives_no_citation_keeps_the_one_that_it_has(tmp_path: Path) -> None:
    said = "Oil floats on water, as 45 people saw [a]. It does not mix with it [b]."
    report, _ = await report_of(tmp_path, answer(said), {"blocks": [{"id": 1, "text": GOOD, "citations": []}]})
    assert "Oil floats on water [1]. It does not mix with it [2]." in report.markdown
    assert not report.unverified


@pytest.mark.parametrize("whole", [answer(), {"blocks": [{"id": 1, "text": f"{GOOD}\n\n{GOOD}", "citations": []}]}])
async def test_a_whole_report_where_blocks_were_asked_changes_nothing(tmp_path: Path, whole: JsonObject) -> None:
    bad: JsonObject = {**FLOATS, "quote": "it swims on water"}
    report, _ = await report_of(tmp_path, answer(GOOD, bad, MIXES), whole)
    assert report.markdown.count("It does not mix with it") == 1
    assert report.markdown.count("Oil floats on water (not verified)") == 1


async def test_who_wants_one_paragraph_gets_one(tmp_path: Path) -> None:
    report, _ = await report_of(tmp_path, answer())
    assert [part.kind for part in report.parts] == ["introduction"]
    assert "Oil floats on water [1]. It does not mix with it [2]." in report.markdown


SENTENCES: tuple[tuple[str, JsonObject], ...] = (
    ("Oil floats on water", {"evidence": "e1", "quote": "it floats on water"}),
    ("It is lighter than that by 12 %", {"evidence": "e1", "quote": "Oil is lighter than water"}),
    ("It does not mix with it", {"evidence": "e2", "quote": "Oil does not mix with water"}),
    ("Burning oil is not put out so", {"evidence": "e3", "quote": "must never be put out with water"}),
)
"""The second has a fault."""


def _said(chance: random.Random, count: int) -> tuple[str, list[JsonObject]]:
    """Some of the sentences, in any order and as often as it falls, with quotes that may be spoiled."""
    text, citations = [], list[JsonObject]()
    for number in (chance.randrange(len(SENTENCES)) for _ in range(count)):
        mark = f"m{len(citations)}"
        words, cited = SENTENCES[number]
        spoiled = chance.choice([{}, {}, {}, {"quote": "words of nobody at all"}, {"evidence": "e9"}])
        citations.append({**cited, **spoiled, "mark": mark})
        text.append(f"{words} [{mark}].")
    return " ".join(text), citations


@pytest.mark.parametrize("seed", range(24))
async def test_no_statement_is_lost_or_doubled_by_a_repair(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    marked: list[JsonObject] = [{**cited, "mark": f"s{number}"} for number, (_, cited) in enumerate(SENTENCES)]
    text = " ".join(f"{words} [s{number}]." for number, (words, _) in enumerate(SENTENCES))
    blocks = []
    for _ in range(chance.randrange(1, 4)):
        said, citations = _said(chance, chance.randrange(0, 6))
        blocks.append({"id": chance.choice([1, 1, 1, 2, 0]), "text": said, "citations": citations})
    report, model = await report_of(tmp_path, answer(text, *marked), {"blocks": blocks})
    assert [task.kind for task in model.tasks].count("reviser") == 1
    kept = Counter(one.text.rstrip(".") for part in report.parts for block in part.blocks for one in block.statements)
    for number, (words, _) in enumerate(SENTENCES):
        assert kept[words] == 1 or (number == 1 and kept[words] == 0)
    assert all(one.verdict == "verified" or one.number is None for one in report.citations)


def test_the_nearest_words_are_those_of_the_text() -> None:
    text = "Oil is lighter than water, so it floats on water. Salt makes water heavier still."
    assert find_nearest_words("oil is much lighter than water", text) == ("Oil is lighter than water,", 3 / 4), (
        "short words do not count"
    )
    assert find_nearest_words("bread rises in the oven over night", text) == ("", 0.0)
    assert find_nearest_words("", text) == ("", 0.0)
    choosing = "By appropriately choosing the amplitude and the frequency of the tones, both are cooled."
    assert find_nearest_words("It is limited by the absorption and the heating of the mirrors.", choosing) == ("", 0.0)
