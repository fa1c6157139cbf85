"""Keys of providers may stand in `.env`, as the page and the docs say: their clients look in the environment alone."""

import os
from pathlib import Path

import pytest

from elcano.settings import is_set
from elcano.settings.environment import load_other_variables


def test_variables_of_other_programs_are_read_from_the_settings_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", {"ANTHROPIC_API_KEY": "of the environment"})
    lines = ("OPENAI_API_KEY='a key'", "export ANTHROPIC_API_KEY=of-the-file", "ELCANO_MODEL=test", "EMPTY=", "BARE")
    (tmp_path / ".env").write_text("\n".join(lines), encoding="utf-8")
    load_other_variables()
    assert os.environ == {"ANTHROPIC_API_KEY": "of the environment", "OPENAI_API_KEY": "a key"}
    assert is_set("OPENAI_API_KEY")


def test_without_a_settings_file_nothing_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", {})
    load_other_variables()
    assert os.environ == {}
