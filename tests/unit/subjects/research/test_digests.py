"""Agents of a loop are shown the sentences of passages that are closest to the question; writers read them whole."""

import pytest

from elcano.graphs.agents.definition import get_definition
from elcano.graphs.agents.digests import digest_passage, digest_text
from elcano.graphs.agents.envelope import EvidenceItem, Loaded, ShownPassages, TaskEnvelope, render_envelope
from elcano.graphs.state.plan import Contradiction, Criterion
from elcano.graphs.state.state import IterationData, ToolCallRecord

QUESTION = "How does the quagga pump keep its bearings cool?"
FILLER = "Nothing of this sentence has to do with what is asked here, and it is long enough to count. "
CLOSEST = "The quagga pump leads water through its bearings to cool them."
TEXT = f"{FILLER * 3}{CLOSEST} {FILLER * 3}".strip()
IDS = {f"e{number}": f"docs:{number}" for number in range(1, 4)}


def show(
    name: str,
    *turns: IterationData,
    iteration: int = 1,
    evidence: tuple[str, ...] = (),
    met: tuple[str, ...] = (),
    offline: bool = False,
) -> TaskEnvelope:
    items = tuple(EvidenceItem(key=key, title="Pumps", text=TEXT) for key in IDS)
    loaded = Loaded(shown=ShownPassages(items=items, ids=IDS), offline=offline)
    agent = get_definition(name)
    criterion = Criterion(text="names the coolant", met=bool(met) or None, evidence=met)
    given = {
        "question": QUESTION,
        "iteration": iteration,
        "conversation": [turn.model_dump() for turn in turns],
        "criteria": [criterion.model_dump()],
        "evidence": evidence,
    }
    known = {name: value for name, value in given.items() if name in agent.input.model_fields}
    return agent.asks.shown(agent.input.model_validate(known), loaded)


def turn(
    number: int, found: dict[str, tuple[str, ...]], thought: str = "So far so good.", judgement: str | None = None
) -> IterationData:
    judged = "Not yet." if number == 1 else ""
    return IterationData(
        number=number,
        thought=thought,
        tool_calls=tuple(ToolCallRecord(source="docs", query=query, new=len(ids)) for query, ids in found.items()),
        findings=tuple(id for ids in found.values() for id in ids),
        judgement=judged if judgement is None else judgement,
    )


def whole(task: TaskEnvelope) -> list[str]:
    return [item.key for item in task.evidence if item.text == TEXT]


@pytest.mark.parametrize("name", ["thinking", "judge"])
def test_agents_of_a_loop_read_digests(name: str) -> None:
    task = show(name, turn(1, {QUESTION: ("docs:1", "docs:2"), "pump coolant": ("docs:3",)}))
    assert whole(task) == []
    assert {item.text for item in task.evidence} == {f"{CLOSEST} […]"}, "sentences on other matters fill no room"
    assert "closest to the question" in get_definition(name).asks.instructions_for(task)


def test_a_short_passage_is_its_own_digest() -> None:
    item = EvidenceItem(key="e1", title="Pumps", text=FILLER)
    assert digest_passage(item, QUESTION) == item


@pytest.mark.parametrize("asked", ["quagga bearings", "ポンプの軸受はどのように冷却されますか。"])
@pytest.mark.parametrize("characters", [200, 300])
def test_a_digest_of_a_text_without_the_words_is_its_beginning(asked: str, characters: int) -> None:
    text = f"{FILLER * 5}".strip()
    shown = digest_text(text, asked, characters)
    assert text.startswith(shown.removesuffix("…"))
    assert characters - 12 < len(shown) <= characters


@pytest.mark.parametrize("said", ["Fig. 1b shows", "work by Smith et al. (2021) shows", "the cited Ref. [5] shows"])
def test_a_digest_ends_no_sentence_at_an_abbreviation(said: str) -> None:
    sentence = f"As {said} the quagga pump cools its bearings."
    item = EvidenceItem(key="e1", title="Pumps", text=f"{FILLER * 3}{sentence} {FILLER * 3}")
    assert digest_passage(item, QUESTION).text == f"{sentence} […]"


def test_the_judge_is_shown_gaps_and_searches_but_no_thought() -> None:
    (shown,) = show("judge", turn(1, {QUESTION: ("docs:1",)})).conversation
    assert shown.thought == ""
    assert [one.query for one in shown.searches] == [QUESTION]


def test_prompts_of_later_turns_begin_as_earlier_ones() -> None:
    first = turn(1, {QUESTION: ("docs:1", "docs:2")}, judgement="")
    turns = ((first,), (turn(1, {QUESTION: ("docs:1", "docs:2")}), turn(2, {"pump coolant": ("docs:3",)})))
    before, after = (show("judge", *one, met=("docs:1",)) for one in turns)
    instructions = get_definition("judge").asks.instructions_for
    assert instructions(after) == instructions(before)
    evidence = render_envelope(before).partition('{"key":"e2"')[0]
    assert CLOSEST in evidence
    assert render_envelope(after).startswith(evidence)


def test_the_judge_is_shown_what_is_new_and_what_meets_a_criterion_or_contradicts_others() -> None:
    judged, new = turn(1, {QUESTION: ("docs:1", "docs:2")}), turn(2, {"pump coolant": ("docs:3",)})

    def shown(
        *turns: IterationData, met: tuple[str, ...] = (), name: str = "judge", offline: bool = False
    ) -> list[str]:
        return [item.key for item in show(name, *turns, met=met, offline=offline).evidence]

    assert shown(judged, new) == ["e3"]
    assert shown(judged, new, met=("docs:2",)) == ["e2", "e3"]
    disputed = judged.model_copy(
        update={"contradictions": (Contradiction(about="Oil.", evidence=("docs:1", "docs:3")),)}
    )
    assert shown(disputed, new) == ["e1", "e3"]
    assert shown(judged) == [*IDS], "with nothing new it is asked about all again"
    assert shown(judged, new, offline=True) == [*IDS], "the extractive model counts words in all"
    assert shown(judged, new, name="thinking") == [*IDS]


def test_the_planner_reads_digests_and_the_writer_whole_passages() -> None:
    assert whole(show("planner", evidence=tuple(IDS.values()))) == []
    assert whole(show("writer", evidence=tuple(IDS.values()))) == [*IDS]


def test_the_writer_is_told_what_was_made_of_each_turn_but_not_how_it_searched() -> None:
    judged, thought = turn(1, {QUESTION: ("docs:1",)}), turn(2, {"pump coolant": ("docs:2",)})
    told = show("writer", judged, thought, evidence=("docs:1", "docs:2")).conversation
    assert [(one.thought, one.judgement, one.searches) for one in told] == [
        ("", "Not yet.", ()),
        ("So far so good.", "", ()),
    ]


def test_rows_of_a_table_are_chosen_one_by_one_with_their_heads() -> None:
    rows = "\n".join(f"Part {number} | {number} kg | steel" for number in range(40))
    table = (
        f"Table 3 Parts of the pump\n\nPart | Weight | Material\n{rows}\nBearing | 5 kg | bronze\nSeal | 1 kg | rubber"
    )
    shown = digest_text(table, "Of which material are bearing and seal?", 120)
    assert shown == "Part | Weight | Material […] Bearing | 5 kg | bronze\nSeal | 1 kg | rubber"


@pytest.mark.parametrize(("head", "cell"), [(40, 100), (150, 40), (40, 150), (230, 230), (10, 187)])
def test_a_row_and_its_heads_keep_within_the_room(head: int, cell: int) -> None:
    table = f"Part | {'Weight ' * (head // 7)}\nShaft | 2 kg\nBearing | {'bronze ' * (cell // 7)}\nSeal | 1 kg"
    shown = digest_text(table + FILLER * 3, "Of which metal is the bearing?", 200)
    assert "Bearing | bronze" in shown
    assert len(shown) <= 200
    assert shown.startswith("Part") == (head + cell < 190)


def test_a_table_is_known_by_its_heads_where_sentences_have_words_of_the_question_too() -> None:
    rows = "Layers | Language | Score | Seconds\n6 | bricks | 0.9 | 2.7\n6 | tiles | 0.8 | 5.4\n"
    text = (
        f"How the score and the seconds change with the number of layers is shown for language. {FILLER * 2}\n\n{rows}"
    )
    shown = digest_text(text, "Do bricks have a better score, in fewer seconds, than tiles?", 120)
    assert shown == "Layers | Language | Score | Seconds\n6 | bricks | 0.9 | 2.7\n6 | tiles | 0.8 | 5.4"


def test_a_digest_has_the_figures_that_are_asked_about() -> None:
    parts = ("The pump cools its bearings. ", "It ran at 38.5 bar. ", "It ran at 38 bar. ", f"It runs on. {FILLER * 3}")
    assert digest_text("".join(parts), "Faults: “38” bar is in none of the words.", 60) == "It ran at 38 bar. […]"


def test_a_digest_leaves_out_what_is_quoted_beside_it() -> None:
    other = "The bearings of a quagga pump stay cool in winter."
    text = f"{CLOSEST} {FILLER * 3}{other} {FILLER * 3}"
    assert digest_text(text, QUESTION, 100, [CLOSEST]) == f"{other} […]"
    assert digest_text(text, QUESTION, 100, ["The quagga pump leads water"]) == f"{CLOSEST} […]", "there is more of it"
    end = " daily treatment, among 340 patients."
    said = f"Aspirin lowered the rate of infarction by 12 % after two years of{end}"
    shown = digest_text(f"{said} {FILLER * 3}", "340 stands in no quote; aspirin", 150, [said.partition(",")[0]])
    assert shown == f"{said} […]", "the quote leaves out what is asked about"
    assert digest_text(f"{CLOSEST} {FILLER * 3}", QUESTION, 100, [CLOSEST]) == f"{CLOSEST} […]", "nothing else is near"


def test_sentences_that_follow_each_other_are_not_parted() -> None:
    text = f"{CLOSEST} The bearings of a quagga pump stay cool. {FILLER * 5}"
    assert digest_text(text, QUESTION, 300) == f"{CLOSEST} The bearings of a quagga pump stay cool."


def test_a_writer_is_not_told_of_a_turn_that_has_no_notes() -> None:
    made = IterationData(number=1, tool_calls=(ToolCallRecord(source="docs", query="pumps", found=1, new=1),))
    assert show("writer", made, IterationData(number=2, judgement="e1 says it.")).conversation[0].number == 2
