"""`elcano steps`, `elcano step` and `elcano diff` show what the API answers, for people and for programs."""

import json
from typing import Any

import pytest

from elcano.graphs.frozen import Json
from elcano.graphs.lifecycle import finish
from elcano.graphs.lifecycle.inspection import Change
from elcano.graphs.lifecycle.step_rows import BetweenRow, HeldTry, StepRow
from elcano.graphs.report.report import Claim, DraftSection, ReportDraft
from elcano.graphs.state.branches import BranchState
from elcano.graphs.state.budget import Budget, Usage
from elcano.service.comparison.run_comparison import Side, build_run_comparison
from elcano.service.runs.budget_view import BudgetView
from elcano.service.steps.views import BetweenView, OmittedPart, RowView, StepDetail, StepList, StepView
from elcano.storage.ledger import LedgerEntry
from elcano.testing.script import Script
from tests.unit.cli.scripted import RUN, Answer, Server, problem, run
from tests.unit.graphs.samples import QUESTION, asked, research

STEPS = f"/v1/runs/{RUN}/steps"
USED = Usage(requests=2, input_tokens=1_850, output_tokens=240, cost_microusd=3_100)


def judged(**fields: Any) -> StepRow:
    made = {"number": 6, "node": "check", "kind": "agent", "name": "judge", "iteration": 1, "began": 4.0, "usage": USED}
    return StepRow.model_validate({**made, "outcome": "failed", "reason": "[no] answer", "ended": 200.0, **fields})


def attempt(number: int, outcome: str) -> LedgerEntry:
    return LedgerEntry.model_validate(
        {
            "run_id": RUN,
            "activity": "0006-check",
            "step": 6,
            "attempt": number,
            "node": "check",
            "kind": "agent",
            "name": "judge",
            "outcome": outcome,
        }
    )


def listed(*rows: RowView, next: str | None = None, status: str = "running") -> Answer:
    found = StepList.model_validate({"run_id": RUN, "status": status, "total": 7, "next": next, "rows": rows})
    return Answer(found.model_dump(mode="json"))


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def test_every_step_is_a_line(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    branch = BranchState(run_id=f"{RUN}.0007.loop-1", path="0007.loop-1", section="Costs", status="running")
    split = StepRow(
        number=7,
        node="split",
        kind="parallel",
        name="",
        iteration=1,
        began=200.0,
        outcome="running",
        branches=(branch,),
    )
    between = BetweenRow(before=7, during=False, kind="controlled: add_budget", at=200.0, text="The limits were raised")
    server.answer(f"GET {STEPS}", listed(StepView.of(judged(), [attempt(1, "failed"), attempt(2, "failed")]), next="6"))
    server.answer(f"GET {STEPS}?cursor=6", listed(BetweenView.of(between), StepView.of(split, [])))
    assert run("steps", RUN) == 0
    first, _, check, topped_up, parallel, section, hint = told(capsys).splitlines()
    assert first == f"{RUN} is running, 7 steps"
    for part in ("6  check (judge)", "4.0 s", "3 min 16 s", "1,850 + 240", "$0.0031", "2, 2 failed", "[no] answer"):
        assert part in check
    assert "before step 7: The limits were raised" in topped_up
    assert "running" in parallel
    assert f"running: {RUN}.0007.loop-1" in section
    assert f"elcano step {RUN} NUMBER" in hint
    assert run("steps", RUN, "--json") == 0
    found = json.loads(told(capsys))
    assert [row.get("number") for row in found["rows"]] == [6, None, 7]


def test_a_run_without_steps(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(f"GET {STEPS}", listed(status="cancelled"))
    assert run("steps", RUN) == 0
    assert told(capsys) == f"{RUN} ended: cancelled, 7 steps\n"


def detail(row: StepRow, **fields: Any) -> Answer:
    budget = BudgetView.of(Budget().view())
    made = StepDetail.model_validate(
        {
            "run_id": RUN,
            "steps": 7,
            "step": StepView.of(row, [attempt(1, "completed")]),
            "input": None,
            "output": None,
            "before": {},
            "budget_before": budget,
            **fields,
        }
    )
    return Answer(made.model_dump(mode="json"))


def test_a_step_from_the_inside(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    evidence: list[Json] = [{"id": f"doc:{number}", "title": f"T{number}"} for number in range(12)]
    answer = detail(
        judged(
            held=(HeldTry(at=5.0, reason="provider", detail="HTTP 503", usage=Usage()),), waited=1.5, began_at=1_000.0
        ),
        between=[BetweenView(before=6, during=True, kind="controlled: stop", at=4.5, text="Asked to stop")],
        input={"question": "Why [this]?", "lines": list(range(60))},
        after={},
        budget_after=BudgetView.of(Budget(used=USED).view()),
        changed=[
            Change(field="evidence", how="appended", items=tuple(evidence), count=12),
            Change(field="conversation[0].gap", how="set", before="", after="the cost"),
            Change(field="title", how="set", before="Old", after="New"),
        ],
        left_out=[OmittedPart(where="before.outputs.search", size=3_400_000)],
    )
    server.answer(f"GET {STEPS}/6", answer)
    server.answer(f"GET {STEPS}/6?whole=true", answer)
    assert run("step", RUN, "6") == 0
    shown = told(capsys)
    for part in (
        "Step 6 of 7: check  agent judge, iteration 1  failed",
        "[no] answer",
        "of these 1.5 s without a worker",
        "attempt at 5.0 s failed: HTTP 503",
        "while it ran: Asked to stop",
        "Why [this]?",
        "more lines; `--json` has all",
        "evidence  +12",
        "doc:9  T9",
        "… 2 more",
        "conversation[0].gap  the cost",
        "title  Old → New",
        "0 → 2,090",
        "before.outputs.search (3,400,000 bytes)",
    ):
        assert part in shown, part
    assert "doc:10" not in shown
    assert run("step", RUN, "6", "--json") == 0
    assert json.loads(told(capsys))["input"]["question"] == "Why [this]?"


def test_a_step_that_goes_on_has_changed_nothing_yet(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(f"GET {STEPS}/6", detail(judged(outcome="running", ended=None, reason="")))
    assert run("step", RUN, "6") == 0
    assert "Changed" not in told(capsys)


def test_a_step_that_there_is_not(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(f"GET {STEPS}/99", problem(404, "No such step", "it has 7 steps"))
    assert run("step", RUN, "99") == 2
    assert capsys.readouterr().err == "elcano: No such step: it has 7 steps\n"


async def compared(script: Script, other: Script, *texts: str) -> Answer:
    sides = []
    for one, text in zip((script, other), texts, strict=True):
        journal = await research(one)
        draft = ReportDraft(title=text, sections=(DraftSection(heading="Facts", claims=(Claim(text=text),)),))
        sides.append(Side(finish.build_run_log(asked(journal.graph, QUESTION), journal), "completed", draft))
    return Answer(build_run_comparison(*sides).model_dump(mode="json"))


async def test_two_runs_side_by_side(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    answer = await compared(Script(complete_in=1), Script(complete_in=2), "It is [very] fast.", "It is very slow.")
    server.answer(f"GET /v1/runs/{RUN}/diff/run-2", answer)
    assert run("diff", RUN, "run-2") == 0
    shown = told(capsys)
    for part in (
        "Asked otherwise  nothing",
        "2 steps the same at the beginning",
        "1 in both, 0 only in a, 2 only in b",
        "+ doc:gap-1-is-it-a",
        "~ [Facts] 75% alike",
        "- It is [very] fast.",
        "+ It is very slow.",
    ):
        assert part in shown, part
    assert [line.split()[:3] for line in shown.splitlines() if line.startswith("  ~  3")] == [["~", "3", "3"]]
    assert run("diff", RUN, "run-2", "--json") == 0
    assert json.loads(told(capsys))["steps"]["common"] == 2


async def test_what_is_the_same_is_not_shown(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer(f"GET /v1/runs/{RUN}/diff/run-2", await compared(Script(), Script(), "It is fast.", "It is fast."))
    assert run("diff", RUN, "run-2") == 0
    assert not [line for line in told(capsys).splitlines() if line.strip().startswith(("+", "-", "~"))]
