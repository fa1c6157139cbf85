"""The judge of a team by rules: a draft will do if the passages hold the question and the draft quotes some of them.

It compares words and says so; what it tells the team is which of the question's words nothing speaks to.
"""

from typing import Final

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.text import shorten_text
from elcano.subjects.quoting.research_steps import judge_evidence as of_passages
from elcano.subjects.teams.agents.team_judge import FEEDBACK_CHARACTERS
from elcano.subjects.teams.reducers import TeamAssessment

BY_RULES: Final = "Judged by rules, without a language model."


def judge(task: TaskEnvelope) -> TeamAssessment:
    """Sufficient as for `assessing.judge`, and something is quoted."""
    found = of_passages(task)
    quoted = any(claim.citations for section in task.sections for claim in section.claims)
    sufficient = found.sufficient and quoted
    said = [BY_RULES, found.reasoning]
    if not quoted:
        said.append("The draft quotes nothing.")
    return TeamAssessment(
        sufficient=sufficient,
        feedback=shorten_text(" ".join(said), FEEDBACK_CHARACTERS),
        missing=() if sufficient else found.missing or (task.question,),  # else the team searches for the feedback
        next_search_queries=found.next_search_queries,
    )
