"""The skill that teaches agents to use Elcano names commands, options, tools and modes that there are."""

import re
import shlex
from pathlib import Path

import yaml
from typer.main import get_command

from elcano.cli.app import app
from elcano.doors.mcp_server.research_tools import ResearchTools
from elcano.graphs.mode_choice import MODES

SKILL = Path(__file__).parents[3] / "docs" / "skill" / "elcano-research" / "SKILL.md"


def test_it_is_named_and_described_as_skills_are() -> None:
    head = yaml.safe_load(SKILL.read_text().split("---\n")[1])
    assert head["name"] == SKILL.parent.name
    assert re.fullmatch(r"[a-z0-9-]{1,64}", head["name"])
    assert 0 < len(head["description"]) <= 1024


def test_its_commands_and_options_exist() -> None:
    text = SKILL.read_text()
    commands = {name: command for name, command in get_command(app).commands.items()}  # type: ignore[attr-defined]
    told = [shlex.split(line, comments=True) for line in text.splitlines() if line.startswith("elcano ")]
    assert len(told) == 5
    for _, name, *arguments in told:
        known = {option for parameter in commands[name].params for option in parameter.opts}
        assert {one for one in arguments if one.startswith("--")} <= known
    budgets = {option for parameter in commands["ask"].params for option in parameter.opts}
    assert set(re.findall(r"`(--[a-z-]+)`", text)) <= budgets


def test_its_modes_and_tools_exist() -> None:
    text = SKILL.read_text()
    named = set(re.findall(r"`([a-z_]+)`", text))
    assert {"auto", "simple", "iterative", "deep", "literature_review"} <= named & {*MODES, "auto"}
    tools = {name for name in named if name.startswith(("start_", "research_", "read_", "search_", "ask_"))}
    assert len(tools) == 5
    assert all(hasattr(ResearchTools, name) for name in tools)
