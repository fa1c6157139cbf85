"""The setting that names an encoder: nothing, a folder, a package, and everything else is a clear error."""

import sys
from pathlib import Path

import numpy as np
import pytest

from elcano.activities.similarity.embedder import CachingEmbedder, open_embedder
from elcano.dev.doctor import check_embeddings
from elcano.graphs.errors import InputInvalid
from elcano.settings import Settings
from tests.unit.activities.similarity.material import SIZE, Topics, model


def test_without_a_name_there_is_none() -> None:
    assert open_embedder("") is None
    assert list(check_embeddings(Settings(embeddings=""))) == []


def test_a_folder_is_opened(tmp_path: Path) -> None:
    embedder = open_embedder(str(model(tmp_path)))
    assert embedder is not None
    assert embedder.embed(["whale", "bread"]).shape == (2, SIZE)
    (finding,) = check_embeddings(Settings(embeddings=str(tmp_path)))
    assert finding.grade == "good"


def test_an_installed_package_is_found_and_never_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model(tmp_path / "some_encoder" / "model")
    (tmp_path / "some_encoder" / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    embedder = open_embedder("some_encoder")
    assert embedder is not None
    assert embedder.embed(["whale"]).shape == (1, SIZE)
    assert "some_encoder" not in sys.modules


@pytest.mark.parametrize(
    ("named", "fault"),
    [
        ("no_such_package", "neither a folder nor an installed package"),
        ("no/such/folder", "neither a folder nor an installed package"),
        ("json", "that package has no tokenizer.json"),
    ],
)
def test_what_is_not_there_is_an_error_at_start(named: str, fault: str) -> None:
    with pytest.raises(InputInvalid, match=fault):
        open_embedder(named)
    (finding,) = check_embeddings(Settings(embeddings=named))
    assert finding.grade == "fault"


def test_without_the_extra_the_error_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.delitem(sys.modules, "elcano.activities.similarity.encoder", raising=False)
    with pytest.raises(InputInvalid, match="its extra `embeddings`"):
        open_embedder(str(model(tmp_path)))


def test_what_was_embedded_is_not_computed_again() -> None:
    topics = Topics()
    embedder = CachingEmbedder(topics, most=3)
    first = embedder.embed(["whale", "bread", "whale"])
    assert topics.asked == ["whale", "bread"]
    np.testing.assert_array_equal(first, [[1, 0], [0, 1], [1, 0]])
    embedder.embed(["bread", "squid", "flour"])
    assert topics.asked == ["whale", "bread", "squid", "flour"]
    embedder.embed(["whale"])
    assert topics.asked[4:] == ["whale"], "the oldest is forgotten first"
