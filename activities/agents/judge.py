"""The judge agent: whether a careful report can be written now, in any field of knowledge."""

from pydantic_ai import Agent

from elcano.activities.agents.envelope import prompt
from elcano.activities.agents.loaded import Loaded
from elcano.graphs.catalogue.agents import JudgeAssessment, JudgeInput

INSTRUCTIONS = """\
You judge whether the passages that were found are enough to answer a question carefully. The question may come from \
any field; apply the standards of that field.

- Coverage: the share of the question's parts that at least one passage speaks to.
- Confidence: how sure you are that a report written from these passages alone would be right. Passages that \
contradict one another, are second-hand or speak only beside the point lower it.
- Sufficient: every part that matters is covered by a passage that could be quoted for it.
- Recommendation: `synthesize` if the passages suffice, or if further searching is unlikely to help because the last \
searches brought nothing new; otherwise `continue`.
- Missing: the aspects that no passage covers.
- Next search queries: three to eight words each, as the sought text would use them; none that was made already.
- Reasoning: two or three sentences, naming passages by their keys.

Judge the passages, not the subject: what you remember of it does not count.
"""

agent = Agent(name="judge", output_type=JudgeAssessment, instructions=INSTRUCTIONS, retries=2)


def show(given: JudgeInput, loaded: Loaded) -> str:
    """The user prompt: the research so far, this iteration's gap and how much of the evidence is new."""
    task = loaded.envelope("judge", given)
    new = len(given.conversation[-1].findings) if given.conversation else 0
    task = task.model_copy(update={"gap": given.gap, "new_evidence": new})
    return prompt("Judge the evidence in this task envelope.", task)
