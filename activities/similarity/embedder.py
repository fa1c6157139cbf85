"""Embedders, which turn texts into vectors, and how the one that the settings name is found.

Nothing is ever downloaded: an encoder's weights are files that the user has, in a folder or in an installed package.
Without the setting there is no embedder, and everything that could use one goes by words.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from elcano.graphs.errors import InputInvalid
from elcano.graphs.extras import install_command

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MARK: Final = "tokenizer.json"
"""The file by which a model's folder is known within a package."""


class Embedder(Protocol):
    """Texts as vectors whose products are cosines."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, each of length one; the same text always gets the same row, but for rounding."""
        ...


MOST: Final = 20_000
"""Vectors kept: 30 MB of 384 numbers each."""


class CachingEmbedder:
    """Another embedder with a memory, which forgets the oldest vectors first.

    A run is asked about the same passages again and again, and a vector takes a hundredth of a second or more. One
    thread computes at a time: they would only share the same processors.
    """

    def __init__(self, embedder: Embedder, most: int = MOST) -> None:
        self._embedder = embedder
        self._most = most
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._computing = threading.Lock()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, `len(texts)` x the embedder's size."""
        import numpy as np  # of the extra `embeddings`, as every embedder is

        with self._computing:
            new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
            fresh = dict(zip(new, self._embedder.embed(new), strict=True)) if new else {}
            known = self._vectors | fresh
            rows = np.stack([known[text] for text in texts])
            self._vectors = dict(list(known.items())[-self._most :])
        return rows


def open_embedder(named: str) -> Embedder | None:
    """The embedder that `ELCANO_EMBEDDINGS` names; None for an empty name.

    Args:
        named: a folder with `tokenizer.json` and `onnx/model.onnx` (`encoder.py` says what else is read), or an
            installed package that has such a folder.

    Raises:
        InputInvalid: there is no such model, it is of another kind, or the packages that it needs are not installed.
    """
    if not named:
        return None
    folder = model_folder(named)
    try:
        from elcano.activities.similarity.encoder import Encoder
    except ImportError as error:
        text = f"ELCANO_EMBEDDINGS needs the package {error.name!r}: {install_command('embeddings')}, or unset it"
        raise InputInvalid("embeddings", text) from error
    return CachingEmbedder(Encoder.read(folder))


def model_folder(named: str) -> Path:
    """Return the folder of the model's files.

    Raises:
        InputInvalid: `named` is neither a folder nor an installed package, or the package has no model.
    """
    if Path(named).is_dir():
        return Path(named)
    # The package is found and not imported: model packages pull in whole frameworks when they are.
    spec = find_spec(named) if named.isidentifier() else None
    if spec is None:
        raise InputInvalid("embeddings", f"ELCANO_EMBEDDINGS is {named!r}: neither a folder nor an installed package")
    roots = [Path(root) for root in spec.submodule_search_locations or ()]
    folders = sorted(mark.parent for root in roots for mark in root.rglob(_MARK))
    if not folders:
        raise InputInvalid("embeddings", f"ELCANO_EMBEDDINGS is {named!r}: that package has no {_MARK}")
    return folders[0]
