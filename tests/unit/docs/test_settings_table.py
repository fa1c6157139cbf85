"""`docs/settings.md` says what `settings/` say."""

import json
from pathlib import Path

import pytest
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from elcano.graphs.plugin import load_objects
from elcano.settings import Settings, get_variable_name, is_set

PAGE = Path(__file__).parents[3] / "docs" / "settings.md"


def expected_table() -> str:
    """The table as the settings' own names, defaults and descriptions make it."""
    rows = ["| variable | default | what it is for |", "| --- | --- | --- |"]
    defaults = Settings.model_construct().model_dump(mode="json")
    for name, field in Settings.model_fields.items():
        assert field.default is not PydanticUndefined, f"{name} has no default"
        default = defaults[name] if isinstance(defaults[name], str) else json.dumps(defaults[name])
        rows.append(f"| `{get_variable_name(name)}` | {f'`{default}`' if default else 'empty'} | {field.description} |")
    return "\n".join(rows)


def test_the_page_has_the_table_of_all_settings() -> None:
    table = expected_table()
    assert table in PAGE.read_text(encoding="utf-8"), f"replace the first table of docs/settings.md with:\n{table}"


def plugin_table(part: type[BaseModel]) -> str:
    """The table of settings that a plugin adds."""
    rows = ["| variable | default | what it is for |", "| --- | --- | --- |"]
    for name, field in part.model_fields.items():
        default = field.default if isinstance(field.default, str) else json.dumps(field.default)
        rows.append(f"| `ELCANO_{name.upper()}` | {f'`{default}`' if default else 'empty'} | {field.description} |")
    return "\n".join(rows)


def test_the_page_has_the_settings_of_plugins() -> None:
    parts = load_objects("settings")
    assert parts
    page = PAGE.read_text(encoding="utf-8")
    missing = [f"{part.__name__}:\n{table}" for part in parts if (table := plugin_table(part)) not in page]
    assert not missing, "docs/settings.md lacks tables under “Settings of plugins”:\n" + "\n".join(missing)


def test_every_setting_is_explained_in_whole_sentences() -> None:
    for name, field in Settings.model_fields.items():
        assert (field.description or "").endswith("."), name


def test_a_child_process_reads_the_same_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    given = Settings.model_validate(
        {
            "data_dir": tmp_path / "data",
            "collections": {"handbook": tmp_path},
            "package_readmes": False,
            "agent_models": {"writer": "openai:gpt-5.1"},
            "api_port": 8123,
            "TEMPORAL_ADDRESS": "temporal.test:7233",
            "shutdown_seconds": 1.5,
        }
    )
    for name, value in given.environment().items():
        monkeypatch.setenv(name, value)
    assert Settings() == given


def test_temporal_target_is_the_embedded_server_unless_another_is_named() -> None:
    assert Settings.model_validate({"TEMPORAL_ADDRESS": "", "temporal_port": 7300}).temporal_target == "127.0.0.1:7300"
    assert Settings.model_validate({"TEMPORAL_ADDRESS": "there:1"}).temporal_target == "there:1"


def test_a_variable_that_is_empty_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "")
    assert not is_set("SOME_API_KEY")
    monkeypatch.setenv("SOME_API_KEY", "secret")
    assert is_set("SOME_API_KEY")
