"""The variable that turns a source on: a plugin's own counts wherever it may be written, unless it says no."""

from pathlib import Path

import pytest

from elcano.settings.settings import Settings

OWN = "ELCANO_ALMANAC_FILE"
"""A variable of a plugin, of which `Settings` has no field."""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings in a folder without `.env`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(OWN, raising=False)
    return Settings(_env_file=None)


def test_a_variable_that_is_not_set_turns_nothing_on(settings: Settings) -> None:
    assert not settings.has(OWN)


def test_the_environment_turns_a_source_of_a_plugin_on(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OWN, "almanac.json")
    assert settings.has(OWN)


def test_a_line_of_the_settings_file_does_so_too(settings: Settings) -> None:
    Path(".env").write_text(f"{OWN.lower()}=almanac.json\n", encoding="utf-8")
    assert settings.has(OWN)


@pytest.mark.parametrize("no", ["false", "False", "0", "off", "no", " "])
def test_no_turns_it_off(settings: Settings, monkeypatch: pytest.MonkeyPatch, no: str) -> None:
    monkeypatch.setenv(OWN, no)
    assert not settings.has(OWN)


def test_keys_of_other_programs_count_in_the_environment_alone(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(".env").write_text("TIDES_API_KEY=key\n", encoding="utf-8")
    assert not settings.has("TIDES_API_KEY")
    monkeypatch.setenv("TIDES_API_KEY", "0")
    assert settings.has("TIDES_API_KEY")
