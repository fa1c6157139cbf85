"""In a loop a passage is read whole once: from then on its agents are shown the sentences closest to the question."""

from elcano.graphs.agents.definition import get_definition
from elcano.graphs.agents.envelope import EvidenceItem, Loaded, ShownPassages, TaskEnvelope
from elcano.graphs.state.plan import build_unjudged_criteria
from elcano.graphs.state.state import IterationData, ToolCallRecord

QUESTION = "How does the quagga pump keep its bearings cool?"
FILLER = "Nothing of this sentence has to do with what is asked here, and it is long enough to count. "
CLOSEST = "The quagga pump leads water through its bearings to cool them."
TEXT = f"{FILLER * 3}{CLOSEST} {FILLER * 3}".strip()
IDS = {f"e{number}": f"docs:{number}" for number in range(1, 4)}


def show(name: str, *turns: IterationData, iteration: int = 1, evidence: tuple[str, ...] = ()) -> TaskEnvelope:
    items = tuple(EvidenceItem(key=key, title="Pumps", text=TEXT) for key in IDS)
    loaded = Loaded(shown=ShownPassages(items=items, ids=IDS))
    agent = get_definition(name)
    given = {
        "question": QUESTION,
        "iteration": iteration,
        "conversation": [turn.model_dump() for turn in turns],
        "criteria": [one.model_dump() for one in build_unjudged_criteria(["names the coolant"])],
        "evidence": evidence,
    }
    known = {name: value for name, value in given.items() if name in agent.input.model_fields}
    return agent.asks.shown(agent.input.model_validate(known), loaded)


def turn(number: int, found: dict[str, tuple[str, ...]], thought: str = "So far so good.") -> IterationData:
    return IterationData(
        number=number,
        thought=thought,
        tool_calls=tuple(ToolCallRecord(source="docs", query=query, new=len(ids)) for query, ids in found.items()),
        findings=tuple(id for ids in found.values() for id in ids),
        judgement="Not yet." if number == 1 else "",
    )


def whole(task: TaskEnvelope) -> list[str]:
    return [item.key for item in task.evidence if item.text == TEXT]


def test_the_judge_reads_whole_what_nobody_has_read_in_the_loop() -> None:
    both = turn(1, {QUESTION: ("docs:1", "docs:2"), "pump coolant": ("docs:3",)})
    task = show("judge", both.model_copy(update={"judgement": ""}))
    assert whole(task) == ["e3"]
    assert all(CLOSEST in item.text and len(item.text) < 400 for item in task.evidence[:2])


def test_a_judge_alone_reads_all_whole() -> None:
    searched = turn(1, {QUESTION: tuple(IDS.values())}, thought="").model_copy(update={"judgement": ""})
    assert whole(show("judge", searched)) == [*IDS]
    assert whole(show("judge", evidence=tuple(IDS.values()))) == [*IDS]


def test_the_first_thought_reads_all_whole_and_the_next_one_no_more() -> None:
    begun = IterationData(
        number=1, tool_calls=(ToolCallRecord(source="docs", query=QUESTION, new=3),), findings=tuple(IDS.values())
    )
    assert whole(show("thinking", begun)) == [*IDS]
    judged = turn(1, {QUESTION: tuple(IDS.values())})
    assert whole(show("thinking", judged, iteration=2)) == []


def test_a_digest_is_the_same_in_every_turn_and_said_to_be_one() -> None:
    first = turn(1, {QUESTION: ("docs:1", "docs:2")})
    second = turn(2, {"pump coolant": ("docs:3",)})
    later = turn(3, {"pump maker": ()})
    tasks = show("judge", first, second, iteration=2), show("judge", first, second, later, iteration=3)
    assert whole(tasks[0]) == ["e3"]
    assert [item.text for item in tasks[0].evidence[:2]] == [item.text for item in tasks[1].evidence[:2]]
    told = get_definition("judge").asks.instructions_for(tasks[0])
    assert "read before" in told
    assert "read before" not in get_definition("judge").asks.instructions_for(show("judge", evidence=("docs:1",)))


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
