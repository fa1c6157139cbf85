"""The judge of a team by rules names what is missing, so that its own words are never searched for."""

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from tests.rules.team_judging import judge


def test_a_judge_that_is_not_satisfied_names_what_to_search_for() -> None:
    question = "How are rules judged?"
    held = EvidenceItem(
        key="e1", title="Rules", heading="", locator="a.md", text="How rules are judged: rules are judged."
    )
    for evidence in ((), (held,)):
        found = judge(TaskEnvelope(kind="team_judge", question=question, evidence=evidence))
        assert not found.sufficient
        assert found.missing
        assert not any("language model" in one for one in found.missing)
