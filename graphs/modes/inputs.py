"""What agents of every mode are given, by the names of their inputs: expressions over the state of the run.

An agent that needs more adds it where its node is; what is here means the same in every graph.
"""

from typing import Final

from elcano.graphs.spec.graph import Inputs

NEW_EVIDENCE: Final = "evidence[?!duplicate_of].id"
"""The passages that repeat no older one."""

ROUND: Final[Inputs] = {"question": "question", "background": "background", "iteration": "iteration"}
"""What is asked, and how often it was gone round."""

CONTEXT: Final[Inputs] = {**ROUND, "conversation": "conversation"}
"""The same, with what the iterations so far thought, searched and found."""

COMMISSION: Final[Inputs] = {
    "question": "question",
    "background": "background",
    "instructions": "instructions",
}
"""What is asked, and how the report is wanted."""

WRITING: Final[Inputs] = {
    **COMMISSION,
    "iteration": "iteration",
    "conversation": "conversation",
    "sources": "sources",
    "evidence": NEW_EVIDENCE,
}
"""What a report is written from by one agent at once."""
