"""What whoever joins sections is shown: passages whole, the plan, its part of the wishes; and long drafts in parts."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.agents.answer_drafts import PART_CHARACTERS, draft_from_summary, in_parts
from elcano.graphs.agents.envelope import (
    CriterionItem,
    Drafts,
    EvidenceItem,
    Loaded,
    SectionItem,
    ShownPassages,
    TaskEnvelope,
)
from elcano.graphs.agents.writing import Summary, SynthesisInput, share_marks
from elcano.graphs.engine.run import build_initial_run
from elcano.graphs.lifecycle.start_and_fold import compose_section_wish
from elcano.graphs.mode_choice import MODES
from elcano.graphs.report.report import Citation, Claim
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.plan import Contradiction, SectionPlan
from elcano.graphs.state.state import ResearchState
from elcano.subjects.research.agents.long_writer import shown_section, shown_summary
from elcano.testing import ScriptedModel, ScriptedSource, run_research
from elcano.testing.default_answers import build_cited_claim, build_plain_answer
from elcano.text.words import bare_words

TEXTS = {f"{name}.md": f"The {name} of the harbour is known. {'It is so. ' * 40}" for name in ("depth", "cost", "age")}


def cite(key: str, mark: str, quote: str = "words") -> Citation:
    return Citation(evidence=key, quote=quote, mark=mark)


def claim(text: str, key: str) -> Claim:
    return Claim(text=text, citations=(Citation(evidence=key, quote="q"),))


def item(key: str, text: str = "") -> EvidenceItem:
    return EvidenceItem(key=key, title=key, locator=key, text=text)


def loaded(**known: object) -> Loaded:
    drafts = Drafts(
        sections=(
            SectionItem(title="One", key_question="1?", claims=(claim("a", "e1"), claim("b", "e2"))),
            SectionItem(title="Two", key_question="2?", claims=(claim("c", "e3"),)),
            SectionItem(title="Three", missing="nothing was found"),
        ),
        shown=ShownPassages(items=tuple(item(f"e{number}") for number in range(1, 6))),
        passages=((item("e1", "x" * 400), item("e2", "y" * 4_000), item("e4", "z" * 400)), (item("e3", "w"),), ()),
        wishes=("short", "", ""),
    )
    return Loaded(drafts=drafts, section=drafts.sections[0]).model_copy(update=known)


GIVEN = SynthesisInput(question="What of the harbour?", instructions="Two pages for sailors.")


def test_a_section_is_written_in_view_of_whole_passages_and_of_the_plan() -> None:
    task = shown_section(GIVEN, loaded(passages_room=250))
    assert [(one.key, len(one.text)) for one in task.evidence] == [("e1", 400), ("e4", 400), ("e2", 0)]
    assert [(one.title, one.missing) for one in task.outline] == [("One", False), ("Two", False), ("Three", True)]
    assert shown_section(GIVEN, loaded(place=1)).outline == task.outline, "it belongs to the stable beginning"
    assert [one.text for one in shown_section(GIVEN, loaded()).evidence] == ["", ""]


def test_a_passage_is_shown_whole_to_one_section_and_in_brief_to_the_others() -> None:
    text = f"{'Much else is told at length. ' * 20}The harbour closes at dusk. {'More of that. ' * 20}".strip()
    items = tuple(item(key, text) for key in ("e1", "e2", "e3"))
    searched_last = CriterionItem(number=1, text="names the hour", evidence=("e3",))
    sections = (
        SectionItem(title="One", key_question="When does the harbour open?"),
        SectionItem(title="Two", key_question="When does the harbour close?", criteria=(searched_last,)),
    )
    drafts = Drafts(sections=sections, passages=(items, (items[2], items[1])))
    tasks = [
        shown_section(GIVEN, Loaded(drafts=drafts, section=one, place=place, passages_room=4_000))
        for place, one in enumerate(sections)
    ]
    assert [[one.key for one in task.evidence if one.text == text] for task in tasks] == [["e1", "e2"], ["e3"]]
    assert [one.text for one in tasks[1].evidence if one.key == "e2"] == ["The harbour closes at dusk. […]"]
    keyless = Loaded(drafts=drafts, section=sections[1], place=1, passages_room=4_000, offline=True)
    assert [one.text for one in shown_section(GIVEN, keyless).evidence] == [text, text]


def test_a_passage_is_whole_in_the_section_of_which_a_criterion_names_it_foremost() -> None:
    text = "The harbour closes at dusk, and more is told of it. " * 20
    items = tuple(item(key, text) for key in ("e1", "e2", "e3", "e4"))
    first = CriterionItem(number=1, text="names the hour", evidence=("e1", "e2", "e3"))
    second = (
        CriterionItem(number=1, text="names the toll", evidence=("e4", "e1")),
        CriterionItem(number=2, text="names a limit", evidence=("e3", "e2")),
    )
    sections = (
        SectionItem(title="One", key_question="When?", criteria=(first,)),
        SectionItem(title="Two", key_question="What limits it?", criteria=second),
    )
    drafts = Drafts(sections=sections, passages=(items[:3], items))
    known = Loaded(drafts=drafts, passages_room=5_000)
    whole = []
    for place, section in enumerate(sections):
        task = shown_section(GIVEN, known.model_copy(update={"section": section, "place": place}))
        whole.append([one.key for one in task.evidence if len(one.text) > 900])
    assert whole == [["e1", "e2"], ["e3", "e4"]]


def test_of_passages_of_other_sections_the_best_are_shown_and_those_that_it_has_to_speak_of() -> None:
    items = tuple(item(f"e{number}", "The harbour closes. " * 40) for number in range(20))
    met = CriterionItem(number=1, text="names the hour", met=True, evidence=("e9", "e13"))
    differ = Contradiction(about="The hour.", evidence=("e11", "e18"))
    sections = (
        SectionItem(title="One", key_question="When does the harbour close?", criteria=(met,)),
        SectionItem(
            title="Two", key_question="When does the harbour close?", criteria=(met,), contradictions=(differ,)
        ),
    )
    meeting = (items[9], items[13])
    others = [one for one in items if one not in meeting]
    drafts = Drafts(sections=sections, passages=((*meeting, *others[:13]), (*meeting, *others[13:], *others[5:13])))
    task = shown_section(GIVEN, Loaded(drafts=drafts, section=sections[1], place=1, passages_room=9_000))
    shown = {one.key: len(one.text) for one in task.evidence}
    assert list(shown) == [f"e{number}" for number in (9, 13, *range(15, 20), 5, 6, 11)]
    assert {key for key, size in shown.items() if size > 400} == {f"e{number}" for number in (11, *range(15, 20))}


def test_a_passage_that_no_criterion_names_is_whole_where_most_of_its_words_are_asked_for() -> None:
    ferry = item("e1", "The ferry carries lorries to the island every hour. " * 20)
    cranes = item("e2", "Electric cranes unload lorries. " * 40)
    other = item("e3", "Bakers on the island knead dough at night, and sell bread in the morning. " * 20)
    sections = (
        SectionItem(title="One", key_question="Which cranes unload lorries?"),
        SectionItem(title="Two", key_question="How often does a ferry carry lorries to the island?"),
    )
    drafts = Drafts(sections=sections, passages=((ferry, cranes, other), (cranes, other, ferry)))
    whole = []
    for place, section in enumerate(sections):
        task = shown_section(GIVEN, Loaded(drafts=drafts, section=section, place=place, passages_room=9_000))
        assert {one.key for one in task.evidence} == {"e1", "e2", "e3"}, "the others are shown in brief"
        whole.append([one.key for one in task.evidence if len(one.text) > 900])
    assert whole == [["e2"], ["e3", "e1"]], "one that has few words of either section is whole where it ranks first"


@pytest.mark.parametrize(
    "asked",
    [
        "What are the adverse effects?",
        "Welche Nebenwirkungen hat das Medikament Zanubin bei den Patienten, die es nicht vertragen?",
        "薬にはどのような副作用がありますか。",
        "薬Zanubinにはどのような副作用がありますか。",
    ],
)
def test_a_passage_whose_words_cannot_be_compared_is_whole(asked: str) -> None:
    text = "Zanubin harms the liver of some people who take it. " * 20
    section = SectionItem(title="One", key_question=asked)
    drafts = Drafts(sections=(section,), passages=((item("e1", text),),))
    (shown,) = shown_section(GIVEN, Loaded(drafts=drafts, section=section, passages_room=9_000)).evidence
    assert shown.text == text


def test_earlier_sections_are_shown_in_brief_and_earlier_parts_of_the_section_whole() -> None:
    long = f"{'Much else is told at length. ' * 40}The harbour closes at dusk [a]. {'More of that. ' * 40}".strip()
    one = SectionItem(title="One", claims=(Claim(text=long, citations=(cite("e1", "a"),)),))
    two = SectionItem(title="Two", key_question="When does the harbour close?", claims=one.claims)
    known = Loaded(section=two.model_copy(update={"claims": (), "part": "2 of 2"}), written=(one, two))
    told = [section.claims[0].text for section in shown_section(GIVEN, known).written]
    assert told == ["The harbour closes at dusk. […]", long.replace(" [a]", "")]
    offline = shown_section(GIVEN, known.model_copy(update={"offline": True}))
    assert [section.claims[0].text for section in offline.written] == [long.replace(" [a]", "")] * 2


def test_a_section_with_a_draft_reads_its_passages_whole() -> None:
    drafts = loaded().drafts
    again = drafts.model_copy(update={"passages": (drafts.passages[0], drafts.passages[0], ())})
    task = shown_section(GIVEN, Loaded(drafts=again, section=drafts.sections[1], place=1, passages_room=4_000))
    assert [len(one.text) for one in task.evidence if one.key in ("e1", "e2", "e4")] == [400, 4_000, 400]


def test_the_summary_names_citations_by_marks_that_hold_in_all_sections() -> None:
    one = Claim(text="It opens [a]. So it may pay [from a; b].", citations=(cite("e1", "a"), cite("e2", "b")))
    two = Claim(text="It closes [A, x]. [a] stays [c].", citations=(cite("e1", "a", "other"), cite("e1", "x")))
    plain = Claim(text="Quoted.", citations=(cite("e4", ""),))
    sections = (SectionItem(title="One", claims=(one,)), SectionItem(title="Two", claims=(two, plain)))
    shared, by_mark = share_marks(sections)
    assert [claim.text for section in shared for claim in section.claims] == [
        "It opens [e1.1]. So it may pay [from e1.1, e2.1].",
        "It closes [e1.2, e1.1]. [e1.2] stays [c].",
        "Quoted.",
    ]
    assert [claim.citations for claim in shared[1].claims] == [(), plain.citations]
    assert {mark: (found.evidence, found.quote) for mark, found in by_mark.items()} == {
        "e1.1": ("e1", "words"),
        "e2.1": ("e2", "words"),
        "e1.2": ("e1", "other"),
    }
    answer = Summary(introduction="It opens [e1.1].", key_findings="- It may pay [from e1.2].")
    draft = draft_from_summary(answer, "T", tuple(by_mark.values()))
    cited = [[found.quote for found in claim.citations] for claim in (*draft.introduction, *draft.key_findings)]
    assert cited == [["words"], ["other"]]
    assert draft.remarks == (), "what it had no need of is no fault"


def test_wishes_are_divided() -> None:
    assert shown_section(GIVEN, loaded()).instructions == "short"
    whole = "Of the whole report, of which this is one of 3 sections: Two pages for sailors."
    assert shown_section(GIVEN, loaded(place=1)).instructions == whole
    state = ResearchState(question="?", plan=(SectionPlan(title="a", key_question="?"),) * 3)
    run = build_initial_run(MODES["deep"], state, Limits())
    assert compose_section_wish("Two pages for sailors.", "", run) == whole
    assert compose_section_wish("Two pages for sailors.", "half a page", run) == "half a page"
    assert compose_section_wish("", "", run) == ""
    alone = run.model_copy(update={"state": ResearchState(question="?")})
    assert compose_section_wish("Two pages.", "", alone) == "Two pages."


def test_the_summary_is_told_what_the_text_leaves_aside() -> None:
    written = (SectionItem(title="One", claims=(claim("a", "e1"),)),)
    task = shown_summary(GIVEN, loaded(written=written))
    assert [one.key for one in task.uncited] == ["e2", "e3"]
    assert all(not one.text for one in task.uncited)


@given(st.lists(st.integers(1, 9_000), max_size=30))
def test_parts_are_the_whole_in_order(sizes: list[int]) -> None:
    section = SectionItem(title="One", claims=tuple(claim("x" * size, "e1") for size in sizes))
    parts = in_parts(section)
    assert tuple(one for part in parts for one in part.claims) == section.claims
    assert len(parts) <= max(1, -(-sum(sizes) // PART_CHARACTERS))
    assert len(parts) == 1 or all(part.claims for part in parts)


def test_headings_are_compared_by_their_words() -> None:
    assert bare_words("### The  *Cost*: 2024") == bare_words("the cost 2024")
    assert bare_words("### Größe") != bare_words("### Große")


def planning(*titles: str) -> dict[str, object]:
    outline = [
        {"title": title, "key_question": f"What of the {title} of the harbour?", "wish": f"{title}: 100 words"}
        for title in titles
    ]
    return {"report_title": "The harbour", "report_outline": outline}


@pytest.fixture
def log() -> ScriptedSource:
    return ScriptedSource("log", TEXTS)


@pytest.mark.of_plugins("teams")
async def test_a_long_draft_is_written_in_parts_and_no_heading_twice(tmp_path: Path, log: ScriptedSource) -> None:
    def write(task: TaskEnvelope) -> dict[str, object]:
        about = task.question.split()[3]
        texts = [" ".join(f"{about}{number}w{place}" for place in range(360)) for number in range(3)]
        quotes = [{"evidence": one.key, "quote": one.text} for one in task.evidence]
        claims = [{"text": text, "citations": [quote]} for text, quote in zip(texts, quotes, strict=True)]
        return {"title": "T", "key_findings": claims}

    def section(task: TaskEnvelope) -> dict[str, object]:
        quote = {**task.sections[0].claims[0].citations[0].model_dump(), "mark": "a"}
        part = {"1 of 2": "Its begin", "2 of 2": "Its end"}[task.sections[0].part]
        text = f"### Common\n\n### Cost\n\n{part} says so [a].\n\n### Own\n\nMore [a]."
        return {"text": text, "citations": [quote]}

    model = ScriptedModel(
        {
            "planner": planning("depth", "cost"),
            "drafter": write,
            "long_writer_section": section,
            "long_writer_summary": {},
        }
    )
    report, journal = await run_research("Harbour?", folder=tmp_path, sources=[log], model=model, mode="hierarchical")
    asked = [task for task in model.tasks if task.kind == "long_writer_section"]
    assert [task.sections[0].part for task in asked] == ["1 of 2", "2 of 2"] * 2
    assert asked[1].written[-1].claims  # the first part, which it goes on from
    assert {task.instructions for task in asked} == {"depth: 100 words", "cost: 100 words"}
    assert all(any(one.text for one in task.evidence) for task in asked)
    summary = next(task for task in model.tasks if task.kind == "long_writer_summary")
    texts = [one.text for part in summary.written for one in part.claims]
    assert texts.count("### Own") == 1
    assert "### Cost" not in texts
    said = [text for text in texts if text.startswith("Its")]
    assert [text.partition(" [")[0] for text in said] == ["Its begin says so", "Its end says so"] * 2
    assert all(text.endswith(".1].") for text in said)
    assert journal.run.failure is None
    assert "Its end says so" in report.markdown


async def test_the_best_passages_that_a_draft_leaves_aside_reach_whoever_joins(
    tmp_path: Path, log: ScriptedSource
) -> None:
    def write(task: TaskEnvelope) -> dict[str, object]:
        return {"title": "T", "key_findings": [build_cited_claim(task.evidence[0])]}

    model = ScriptedModel({"planner": planning("depth"), "writer": write}, default=build_plain_answer)
    _, journal = await run_research("Harbour?", folder=tmp_path, sources=[log], model=model, mode="deep")
    (result,) = journal.run.state.sections
    assert len(result.evidence) == 3
    (task,) = [task for task in model.tasks if task.kind == "long_writer_section"]
    assert [bool(one.text) for one in task.evidence] == [True] * 3
    assert result.wish == "depth: 100 words"
