"""Keys of providers may stand in `.env`, as the page and the docs say: their clients look in the environment alone."""

import os
import sys
from pathlib import Path

import pytest

from elcano import cli
from elcano.cli.exit_codes import Exit
from elcano.graphs import plugin
from elcano.settings import SettingsInvalid, is_set
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


def test_variables_of_loaders_are_left_to_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", {})
    lines = ("LD_PRELOAD=/tmp/other.so", "DYLD_INSERT_LIBRARIES=/tmp/other", "PYTHONPATH=/tmp", "SSL_CERT_FILE=/ca.pem")
    (tmp_path / ".env").write_text("\n".join(lines), encoding="utf-8")
    load_other_variables()
    assert os.environ == {"SSL_CERT_FILE": "/ca.pem"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("OPENAI_API_KEY=é".encode("latin-1"), "UTF-8"),
        ("OPENAI_API_KEY=key".encode("utf-16"), "UTF-8"),
        (b"OPENAI_API_KEY=a\0b", "'OPENAI_API_KEY'"),
        (b"'A=B'=c", "'A=B'"),
        (b'A=1\n# a key\nOPENAI_API_KEY="sk-1\nB=2\n', "line 3 cannot be read"),
        (b"=x", "line 1 cannot be read"),
        (b"OPENAI_API_KEY=" + b"a" * 200_000, "'OPENAI_API_KEY'"),
    ],
)
def test_a_line_that_cannot_be_set_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_bytes(content)
    with pytest.raises(SettingsInvalid, match=said):
        load_other_variables()


def test_the_command_line_says_so_of_a_settings_file_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plugin, "_loaded", ())
    monkeypatch.delitem(sys.modules, "elcano.cli.app", raising=False)  # as at the start of a program
    (tmp_path / ".env").write_bytes(b"ELCANO_MODEL=\xff")
    assert cli.main(["--help"]) == Exit.BAD_INPUT
    assert "is not in UTF-8" in capsys.readouterr().err
