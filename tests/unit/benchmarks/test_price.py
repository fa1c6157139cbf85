"""Prompts are counted by agent and part, and by how far each begins as an earlier one of its agent does."""

from pathlib import Path

import pytest

from benchmarks.quality import price
from benchmarks.quality.prompt_sizes import PromptSizes
from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope, render_task_prompt
from tests.unit.benchmarks.test_scholarqa import write_data


def prompt(text: str, kind: str = "judge") -> str:
    passage = EvidenceItem(key="e1", title="Oil", text=text)
    return render_task_prompt("Judge.", TaskEnvelope(kind=kind, question="What?", evidence=(passage,)))


def test_what_a_prompt_shares_with_an_earlier_one_of_its_agent_is_its_prefix() -> None:
    sizes = PromptSizes()
    sizes.add("Do it.", "{}", prompt("a" * 4_000))
    sizes.add("Do it.", "{}", prompt("a" * 4_000, kind="writer"))
    assert not sizes.repeated, "another agent has no prompt before"
    sizes.add("Do it.", "{}", prompt("a" * 2_000 + "b" * 2_000))
    assert sizes.repeated["judge"] - sizes.prefix["judge"] == pytest.approx(500, abs=20)
    sizes.add("Other.", "{}", prompt("a" * 4_000))
    assert sizes.prefix["judge"] < sizes.repeated["judge"] / 2 + 100
    assert sizes.calls == {"judge": 3, "writer": 1}
    whole = len("Do it.{}" + prompt("a" * 4_000, kind="writer")) // 4
    assert sum(tokens for (kind, _), tokens in sizes.sent.items() if kind == "writer") == pytest.approx(whole, abs=7)


def test_both_modes_are_played_to_their_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_data(tmp_path)
    price.main([str(tmp_path), "--question", "one"])
    shown = capsys.readouterr().out
    for mode, agents in (
        ("iterative", ("thinking", "judge", "writer")),
        ("deep", ("planner", "judge", "long_writer_section")),
    ):
        table = shown.partition(f"{mode}: ")[2].partition("\n  all ")[0]
        assert all(f"  {agent} " in table for agent in agents), mode
    assert "times the" in shown
