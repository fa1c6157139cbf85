"""The one table of providers, held against the pydantic-ai that is installed: no name and no variable is made up."""

import inspect
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final, get_args

import pytest
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import KnownModelName, OpenAIChatCompatibleProvider, infer_model
from pydantic_ai.providers import infer_provider_class

from elcano.graphs.model_names import PROVIDERS
from elcano.settings import is_set

DECIDES: Final = {"google-decisions", "openai-decisions", "typesafe"}
"""Choose among given answers; they write nothing."""
LEFT_OUT: Final = {*DECIDES, "test", "github", "litellm"}
"""`test` makes its answers up, `github` was retired, `litellm` is told its address by a program alone."""
SAME: Final = {"openai-chat": "openai", "openai-responses": "openai", "azure-responses": "azure"}
"""Names of another API of the same provider."""


def offered() -> set[str]:
    """The providers whose models pydantic-ai names itself, and those that it reaches through OpenAI's API."""
    known = {name.partition(":")[0] for name in get_args(KnownModelName.__value__)}
    named = {name for name in known if not name.startswith("gateway/")}
    return named | set(get_args(OpenAIChatCompatibleProvider.__value__))


def test_no_provider_is_missing() -> None:
    assert offered() - LEFT_OUT - PROVIDERS.keys() == set()


def test_no_provider_is_made_up() -> None:
    source = inspect.getsource(infer_provider_class)
    assert PROVIDERS.keys() <= set(re.findall(r"'([\w-]+)'", source))


@pytest.mark.parametrize("name", [name for name, variables in PROVIDERS.items() if variables])
def test_a_providers_variables_are_those_that_it_reads(name: str) -> None:
    spec = find_spec(f"pydantic_ai.providers.{SAME.get(name, name).replace('-', '_')}")
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text("utf-8")
    assert [variable for variable in PROVIDERS[name] if variable not in source] == []


@pytest.mark.parametrize("name", [name for name, variables in PROVIDERS.items() if variables])
def test_without_its_variables_a_provider_cannot_be_called(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (variable for variables in PROVIDERS.values() for variable in variables):
        monkeypatch.delenv(variable, raising=False)
    assert not any(is_set(variable) for variable in PROVIDERS[name])
    with pytest.raises((UserError, ImportError)):  # of some, the package is no part of this project
        infer_model(f"{name}:some-model")
