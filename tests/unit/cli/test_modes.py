"""`elcano modes` and `elcano domains`: what the API explains, on a page and as JSON."""

import json

import pytest

from elcano.api.modes import ModeView
from elcano.cli.exit_codes import Exit
from elcano.graphs.mode_choice import DEFAULT_MODE, MODES
from elcano.graphs.state.rubric import DOMAINS
from tests.unit.cli.scripted import Answer, Server, run

EXPLAINED = [ModeView.of(name).model_dump(mode="json") for name in MODES]
RUBRICS = [rubric.model_dump(mode="json") for rubric in DOMAINS.values()]


def test_every_mode_is_a_row_with_its_cost(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer("GET /v1/modes", Answer(EXPLAINED))
    assert run("modes") == Exit.OK
    rows = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert set(MODES) <= set(rows)
    assert "(default)" in rows[DEFAULT_MODE]
    assert "450,000" in rows["deep"]
    assert run("modes", "--json") == Exit.OK
    assert json.loads(capsys.readouterr().out) == EXPLAINED


def test_domains_are_listed_and_one_is_shown(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer("GET /v1/domains", Answer(RUBRICS))
    assert run("domains") == Exit.OK
    assert "mechanism, clinical_evidence" in capsys.readouterr().out
    assert run("domains", "biomedical") == Exit.OK
    assert json.loads(capsys.readouterr().out) == RUBRICS[0]
    assert run("domains", "medicine") == Exit.BAD_INPUT
    assert "biomedical" in capsys.readouterr().err
