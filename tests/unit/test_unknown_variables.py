"""A variable that begins as settings do and sets nothing is named, with the one that was probably meant."""

import re
from pathlib import Path

import pytest

from elcano import settings
from elcano.dev import doctor
from elcano.graphs.plugin import load_objects
from elcano.settings import Settings, get_variable_name, list_variables, unknown_variables
from elcano.settings.settings import OF_COMPOSE

COMPOSE = Path(__file__).parents[2] / "docker-compose.yml"


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ELCANO_COLECTIONS", "did you mean ELCANO_COLLECTIONS?"),
        ("elcano_colections", "did you mean ELCANO_COLLECTIONS?"),
        ("ELCANO_TEMPORAL_ADDRESS", "did you mean TEMPORAL_ADDRESS?"),
        ("ELCANO_USE_GRAPH_EXECUTION", "did you mean USE_GRAPH_EXECUTION?"),
        ("ELCANO_FROM_THE_FUTURE", "docs/settings.md lists them all"),
    ],
)
def test_a_misspelt_variable_is_named_with_the_nearest(monkeypatch: pytest.MonkeyPatch, name: str, said: str) -> None:
    monkeypatch.setenv(name, "1")
    (text,) = unknown_variables()
    assert text.startswith(f"{name.upper()} in the environment is no setting: ")
    assert said in text


def test_a_line_of_the_file_is_looked_at_too() -> None:
    Path(".env").write_text("ELCANO_MODLE=offline\nELCANO_MODEL=offline\nOTHER=1\n")
    assert unknown_variables() == ["ELCANO_MODLE in the file '.env' is no setting: did you mean ELCANO_MODEL?"]


def test_settings_and_what_compose_reads_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in {*map(get_variable_name, Settings.model_fields), *OF_COMPOSE}:
        monkeypatch.setenv(name, "1")
    assert unknown_variables() == []
    in_compose = set(re.findall(r"ELCANO_[A-Z_]+", COMPOSE.read_text()))
    of_plugins = set(list_variables(load_objects("settings")))
    assert of_plugins <= in_compose
    assert in_compose - of_plugins - set(map(get_variable_name, Settings.model_fields)) == OF_COMPOSE


def test_doctor_tells_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELCANO_MODLE", "offline")
    settings.get_settings.cache_clear()
    (finding,) = doctor.check_variable_names(settings.get_settings())
    assert finding.grade == "note"
    assert "did you mean ELCANO_MODEL?" in finding.text
