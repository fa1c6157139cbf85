"""The examples of `docs/testing.md` are tests that pass, and it names every fake."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elcano import testing

PAGE = (Path(__file__).parents[3] / "docs" / "testing.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def made_of(source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    lines_before = PAGE[: PAGE.index(source)].count("\n")
    exec(compile("\n" * lines_before + source, "docs/testing.md", "exec"), names)
    found: Callable[..., Any]
    (found,) = (made for name, made in names.items() if name.startswith("test_"))
    assert inspect.iscoroutinefunction(found)
    return found


@pytest.mark.parametrize("example", range(2))
async def test_an_example_passes(example: int, tmp_path: Path) -> None:
    made = made_of(EXAMPLES[example])
    await made(**({"tmp_path": tmp_path} if "tmp_path" in inspect.signature(made).parameters else {}))


def test_there_are_no_other_examples() -> None:
    assert len(EXAMPLES) == 2


def test_every_fake_is_named_and_there() -> None:
    for name in testing.__all__:
        assert re.search(rf"\b{name}\b", PAGE), name
        assert getattr(testing, name).__module__.startswith(("elcano.testing.", "elcano.graphs.preview."))
