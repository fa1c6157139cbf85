"""What a plugin names and is not there is told in one line that says who named it, and where it went wrong."""

from pathlib import Path

import pytest

from elcano.graphs.errors import InputInvalid
from elcano.graphs.mode_choice import MODES
from elcano.graphs.plugin import import_object

CODE = """
from elcano.graphs.builder import GraphBuilder

GRAPH = GraphBuilder("none").build()
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acme_graph.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "acme_broken.py").write_text("x = = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (".source:open_source", "which has to read `package.module:name`"),
        ("", "which has to read `package.module:name`"),
        ("acme_graph", "which has to read `package.module:name`"),
        ("acme_none:open_source", "No module named 'acme_none'"),
        ("elcano.graphs.errors:Nothing", "has no attribute 'Nothing'"),
        ("acme_broken:open_source", "invalid syntax (acme_broken.py, line 1)"),
        ("acme_graph:GRAPH", "acme_graph.py, line 4)"),
    ],
)
def test_what_is_not_there_is_a_sentence(path: str, said: str) -> None:
    with pytest.raises(InputInvalid) as raised:
        import_object(path, "the source 'tides'")
    assert str(raised.value).startswith(f"the source 'tides' names {path!r}")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_unknown_name_is_told_with_those_that_there_are() -> None:
    with pytest.raises(KeyError, match="no loaded plugin has 'tides' among its modes; there are: simple,"):
        MODES["tides"]
