"""An embedder with a cache in memory, which evicts the oldest vectors first.

A run is asked about the same passages again and again, and computing a vector takes a hundredth of a second or more.
This module needs the extra `embeddings`: import it only when asked to.
"""

import threading
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from elcano.activities.similarity.embedder import Embedder

MOST: Final = 20_000
"""Vectors kept: 30 MB of 384 numbers each."""


class CachingEmbedder:
    """Another embedder with a memory. One thread computes at a time: they would only share the same processors."""

    def __init__(self, embedder: Embedder, most: int = MOST) -> None:
        self._embedder = embedder
        self._most = most
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._computing = threading.Lock()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, `len(texts)` x the embedder's size."""
        with self._computing:
            new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
            fresh = dict(zip(new, self._embedder.embed(new), strict=True)) if new else {}
            known = self._vectors | fresh
            rows = np.stack([known[text] for text in texts])
            self._vectors = dict(list(known.items())[-self._most :])
        return rows
