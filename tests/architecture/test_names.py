"""Names can be searched for: a module-level function is called by a verb and its object."""

import ast
from collections import Counter
from typing import Final

import pytest

from tests.architecture.test_rooms import python_files

MOST_ONE_WORD: Final = 0.20
"""Share of module-level functions that may have a name of one word; httpx has 22 %, starlette 12 %, pydantic-ai 4 %."""


def one_word_functions(source: str) -> tuple[list[str], int]:
    """The module-level functions of a file whose names are one word, and how many functions there are."""
    names = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [name for name in names if "_" not in name.strip("_")], len(names)


def test_functions_are_named_by_verb_and_object() -> None:
    found: Counter[str] = Counter()
    functions = 0
    for path in python_files():
        names, count = one_word_functions(path.read_text(encoding="utf-8"))
        found.update(names)
        functions += count
    assert found.total() <= MOST_ONE_WORD * functions, f"most used: {found.most_common(20)}"


@pytest.mark.parametrize(
    ("source", "names"),
    [("def render_reference(): ...\ndef _shown(): ...\n", ["_shown"]), ("class A:\n    def shown(self): ...\n", [])],
)
def test_only_functions_of_a_module_are_counted(source: str, names: list[str]) -> None:
    assert one_word_functions(source)[0] == names
