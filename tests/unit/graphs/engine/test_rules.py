"""A run goes by the rules that it started with, whatever later programs go by."""

from collections.abc import Iterator
from importlib.metadata import version

import pytest

from elcano.graphs.engine.budget_check import exit_needs
from elcano.graphs.engine.run import has_stalled
from elcano.graphs.lifecycle.finish import build_run_log
from elcano.graphs.lifecycle.start_and_fold import fold, open_journal
from elcano.graphs.mode_choice import MODES
from elcano.graphs.rules import RULES, AgentFigures, Rules, get_newest_rules_number, get_rules
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.state import IterationData
from elcano.testing.script import Script
from tests.unit.graphs.samples import asked, research

OTHER = Rules(stall_iterations=2, prompt_tokens=9_000, agents={"writer": AgentFigures(output_tokens=1)})


@pytest.fixture
def later() -> Iterator[None]:
    """A later program, with rules of its own behind those that there are."""
    RULES.append(OTHER)
    yield
    RULES.pop()


def begun(**changes: int) -> ResearchInput:
    return asked(MODES["iterative"]).model_copy(update=changes)


@pytest.mark.usefixtures("later")
def test_a_new_run_takes_the_newest_rules_and_an_old_one_keeps_its_own() -> None:
    old, new = open_journal(begun(rules=get_newest_rules_number() - 1), 0.0).run, open_journal(begun(), 0.0).run
    assert (old.figures, new.figures) == (RULES[-2], OTHER)
    once = new.state.model_copy(update={"conversation": (IterationData(number=2),)})
    assert (has_stalled(once, old.figures), has_stalled(once, new.figures)) == (True, False)
    graph = MODES["iterative"]
    assert exit_needs(graph, new).tokens - exit_needs(graph, old).tokens == 9_000 - 800 + 1 - 4_000


async def test_a_log_gives_the_same_run_under_a_later_program(monkeypatch: pytest.MonkeyPatch) -> None:
    question = begun()
    walked = await research(Script(complete_in=2), graph=MODES["iterative"])
    kept = build_run_log(question, walked)
    monkeypatch.setattr("elcano.graphs.rules.RULES", [*RULES, OTHER])
    assert fold(kept.asked, kept.entries) == kept.run


def test_the_rules_travel_in_the_input_and_to_branches() -> None:
    assert begun().model_dump()["rules"] == get_newest_rules_number()
    assert ResearchInput.model_validate(begun(rules=1).model_dump(mode="json")).rules == 1


def test_rules_that_this_program_does_not_know_are_not_guessed() -> None:
    with pytest.raises(IndexError):
        get_rules(get_newest_rules_number() + 1)


def test_the_expressions_are_those_of_the_jmespath_that_is_meant() -> None:
    """Another version may give another value; whoever takes one says so by new rules, and looks at runs in flight."""
    assert version("jmespath").rsplit(".", 1)[0] == get_rules().jmespath
