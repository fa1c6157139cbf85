"""What agents of every mode are given, by the names of their inputs: expressions over the state of the run.

An agent that needs more adds it where its node is; what is here means the same in every graph.
"""

from typing import Final

from elcano.graphs.spec.graph import Inputs

NEW_EVIDENCE: Final = "evidence[?!duplicate_of].id"
"""The passages that repeat no older one."""

PASSAGES: Final = "evidence[?!duplicate_of && !starts_with(id, 'result:')].id"
"""The same without results of queries, which are shown as tables."""

DATABASES: Final = "pairs(sources, [databases])[?contains(@[1], @[0])][0]"
"""Those of the run's sources that are databases."""

ASKED: Final[Inputs] = {
    "question": "question",
    "background": "background",
    "guidance": "guidance",
    "language": "language",
}
"""What is asked, in which language, and what was said of it since."""

ROUND: Final[Inputs] = {**ASKED, "iteration": "iteration", "criteria": "criteria"}
"""The same, how often it was gone round, and what the answer has to meet."""

CONTEXT: Final[Inputs] = {**ROUND, "conversation": "conversation"}
"""The same, with what the iterations so far thought, searched and found."""

JUDGING: Final[Inputs] = {**CONTEXT, "rubric": "domain && domains[0] || `null`"}
"""What a judge is given: the same, and the rubric of the question's field, if there is one."""

OFFERED_DOMAINS: Final = "!domain && domains[].{name: name, description: description} || `[]`"
"""The rubrics among which the question decides, unless somebody named one."""

COMMISSION: Final[Inputs] = {**ASKED, "instructions": "instructions", "form": "form"}
"""What is asked, what was said of it since, and how the report is wanted."""

WRITING: Final[Inputs] = {
    **COMMISSION,
    "review": "review",
    "iteration": "iteration",
    "conversation": "conversation",
    "criteria": "criteria",
    "sources": "sources",
    "evidence": NEW_EVIDENCE,
}
"""What a report is written from by one agent at once."""
