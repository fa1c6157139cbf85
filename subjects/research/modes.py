"""The modes of the plugin, and when `auto` chooses each."""

from typing import Final

from elcano.graphs.builder import WRITING, GraphBuilder
from elcano.graphs.mode_choice import Mode
from elcano.subjects.research.deep_graph import deep_graph
from elcano.subjects.research.loops import ITERATIVE, SECTION, add_judged_search

DEEP = deep_graph(
    "deep",
    synthesis="long_writer",
    description="Plan sections, research each in a loop of its own side by side, write them one after the other.",
    research=SECTION,
)
DEEP_BRIEF = deep_graph(
    "deep_brief",
    synthesis="proofreader",
    description="As deep, but the drafts are merged and shortened in one pass.",
)


SIMPLE = (
    add_judged_search(
        GraphBuilder("simple", "Search every source, judge, search again with the judge's words, write."),
        "synthesize",
        description="Every source at once, by all that the judge would search",
    )
    .add_agent_node(
        "synthesize",
        agent="writer",
        description="The report, every claim with its quote",
        inputs=WRITING,
    )
    .set_exit_nodes("synthesize")
    .build()
)

MODES: Final = (
    Mode(
        SIMPLE,
        "One fact that a good search answers; the cheapest.",
        when="it asks for one fact that a single good search answers: a date, a number, a name, a definition",
    ),
    Mode(
        ITERATIVE,
        "One point, however hard it is to find: each round looks for what is still missing.",
        when="it is after one point, however hard that is to find, or you are in doubt",
        prefix="",
    ),
    Mode(
        DEEP,
        "A question of several parts, a comparison, an overview: each section is researched by itself.",
        when="a careful answer needs several sections that can be researched separately, because it has several parts, "
        "compares things, or asks for an overview, a report or an analysis of a field",
        prefix="",
    ),
    Mode(DEEP_BRIEF, "As deep, for a short report."),
)
