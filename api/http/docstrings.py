"""The docstrings under the fields of models, read from their source when they are first shown to somebody.

Pydantic reads them as well (`use_attribute_docstrings`), but while each class is made: a tenth of the API's start, for
texts that only its OpenAPI document has.
"""

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from itertools import pairwise


def read_field_docstrings(model: type) -> dict[str, str]:
    """The docstrings of a model's fields by the fields' names, including those that it inherits."""
    found: dict[str, str] = {}
    for one in reversed(model.__mro__):
        if one.__module__.startswith("elcano."):
            found |= _read_module(one.__module__).get(one.__qualname__, {})
    return found


@cache
def _read_module(name: str) -> Mapping[str, dict[str, str]]:
    """The docstrings of fields, by the classes at the top of a module."""
    tree = ast.parse(inspect.getsource(sys.modules[name]))
    return {one.name: dict(_read_class(one)) for one in tree.body if isinstance(one, ast.ClassDef)}


def _read_class(node: ast.ClassDef) -> list[tuple[str, str]]:
    return [
        (field.target.id, inspect.cleandoc(text.value.value))
        for field, text in pairwise(node.body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    ]
