"""Hypotheses by rules: of each part of the question that passages may answer it, and that none does.

Both can be seen to be wrong by counting words, which is all that rules can do: a passage that holds enough of a part
is named for the first and against the second. What a passage claims is not looked at, and each hypothesis says so.
"""

from typing import Final

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.state.team import MOST_HYPOTHESES, MOST_PASSAGES, MOST_SEARCHES, Hypothesis
from elcano.graphs.text import shorten_text
from elcano.subjects.quoting.passages import Material, in_question_language, read_material
from elcano.subjects.quoting.planning import suggest_queries
from elcano.subjects.quoting.question_parts import ANSWERABLE, find_subject, split_into_parts
from elcano.subjects.teams.reducers import Hypotheses
from tests.rules.coordinating import BY_RULE

PART_CHARACTERS: Final = 300
REASONING: Final = (
    f"{BY_RULE}: a passage counts that holds {ANSWERABLE:.0%} of what is asked, by its words; what it claims was "
    "not read"
)


@in_question_language
def hypothesize(task: TaskEnvelope) -> Hypotheses:
    """For one part or two: it is answered, it is not; the passages that hold it are for the one, against the other."""
    given = read_material(task)
    made = [search.query for turn in task.conversation for search in turn.searches]
    searches = suggest_queries(task.question, given, made)[:MOST_SEARCHES]
    said: list[Hypothesis] = []
    for part in split_into_parts(task.question)[: MOST_HYPOTHESES // 2]:
        asked, keys = shorten_text(part, PART_CHARACTERS), _holding(task.question, part, given)
        answered = f"The passages found answer “{asked}”"
        said += [
            Hypothesis(statement=answered, reasoning=REASONING, supports=keys, searches=searches),
            Hypothesis(
                statement=f"No passage found answers “{asked}”",
                reasoning=REASONING,
                contradicts=keys,
                searches=searches,
            ),
        ]
    return Hypotheses(hypotheses=tuple(said))


def _holding(question: str, part: str, given: Material) -> tuple[str, ...]:
    """Keys of the passages that hold enough of a part, those that hold most first."""
    terms = given.terms.of(part)
    subject = find_subject(question, given)
    about = [one for one in given.passages if subject in one.found]
    held = sorted(((terms.coverage(one.found), one.item.key) for one in about), key=lambda each: -each[0])
    return tuple(key for share, key in held if share >= ANSWERABLE)[:MOST_PASSAGES]
