"""Code that nobody has to trust: it computes, and can do nothing else."""

import importlib.util
import sys

import pytest

from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Json
from elcano.subjects.analysis.tool_specs import ComputeInput
from elcano.subjects.analysis.tools import run_sandboxed_code

assert importlib.util.find_spec("pydantic_monty"), "the sandbox is a part of what this project is worked on with"


def test_it_computes_with_its_inputs_and_tells_what_was_printed() -> None:
    values: dict[str, Json] = {"values": [1, 2, 6], "name": "ü"}
    done = run_sandboxed_code(ComputeInput(code="print(name)\nsum(values) / len(values)", inputs=values))
    assert (done.result, done.printed) == (3.0, "ü\n")
    assert run_sandboxed_code(ComputeInput(code="x = 1")).result is None


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("while True: pass", "time limit"),
        ("try:\n  while True: pass\nexcept BaseException:\n  while True: pass", "time limit"),
        ("x = [0] * 10**10", "memory limit"),
        ("9 ** 9 ** 9", "memory limit"),
        ("'x' * 10**9", "memory limit"),
        ("print('a' * 10**7)", "memory limit"),
        ("def f(n):\n  return f(n + 1)\nf(0)", "recursion"),
        ("import os\nos.listdir('/')", "Permission"),
        ("import os\nos.system('id')", "system"),
        ("open('/etc/passwd').read()", "Permission"),
        ("import socket", "No module"),
        ("import subprocess", "No module"),
        ("__import__('os')", "not defined"),
        ("().__class__.__bases__[0].__subclasses__()", "no attribute"),
        ("import time\ntime.sleep(1000)", "sleep limit"),
        ("float('nan')", "no JSON"),
        ("'x' * 300_000", "characters as JSON"),
        ("1 +", "failed"),
        ("1 / 0", "division"),
    ],
)
def test_what_it_may_not_do_is_refused(code: str, told: str) -> None:
    with pytest.raises(InputInvalid, match=told):
        run_sandboxed_code(ComputeInput(code=code))


def test_an_input_without_the_name_of_a_variable_is_refused() -> None:
    with pytest.raises(InputInvalid, match="no names of any: \\['a b'\\]"):
        run_sandboxed_code(ComputeInput(code="1", inputs={"a b": 1}))


def test_without_a_sandbox_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    with pytest.raises(InputInvalid, match="its extra `analysis`"):
        run_sandboxed_code(ComputeInput(code="1"))
