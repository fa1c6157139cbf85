"""A BERT-like sentence encoder in plain NumPy: the forward pass, the mean over a text's pieces, length one.

The layers are those of Devlin et al. 2019, the pooling that of Reimers and Gurevych 2019 ("Sentence-BERT"). It reads
weights that the user has; it never fetches any. This module needs the extra `embeddings`: import it only when asked to.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from elcano.activities.similarity.wordpiece import WordPiece
from elcano.graphs.errors import InputInvalid

Floats: TypeAlias = NDArray[np.float32]

LONGEST: Final = 256
"""Pieces of a text that are read, as all-MiniLM-L6-v2 is meant to be used; a passage of 900 characters has fewer."""
BATCH: Final = 16
"""Texts that are encoded together; more of them fill the processor's cache and are no faster."""
_FAR: Final = np.float32(-1e9)
"""What attention adds for a piece that is only padding."""
_DEFAULTS: Final = {"hidden_act": "gelu", "position_embedding_type": "absolute", "layer_norm_eps": 1e-12}


class Encoder:
    """Sentences as vectors.

    Args:
        tokenizer: splits texts into the model's pieces.
        config: the model's `config.json`.
        weights: the model's tensors by name, as `BertModel` calls them.
    """

    def __init__(self, tokenizer: WordPiece, config: dict[str, Any], weights: dict[str, Floats]) -> None:
        self._tokenizer = tokenizer
        self._weights = weights
        self._layers = int(config["num_hidden_layers"])
        self._heads = int(config["num_attention_heads"])
        self._most = min(LONGEST, int(config["max_position_embeddings"]))
        self._epsilon = float(config.get("layer_norm_eps", _DEFAULTS["layer_norm_eps"]))
        self.size = int(config["hidden_size"])

    @classmethod
    def read(cls, folder: Path) -> "Encoder":
        """The model in `folder`: `config.json`, `tokenizer.json`, `model.safetensors`.

        Raises:
            InputInvalid: a file is missing, or it is a model that this forward pass does not fit.
        """
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            if not (folder / name).is_file():
                raise InputInvalid("embeddings", f"there is no {name} in {folder}; name the folder of an encoder model")
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        _check(folder, config)
        weights = load_file(folder / "model.safetensors")
        stored = {name.removeprefix("bert."): weight.astype(np.float32) for name, weight in weights.items()}
        encoder = cls(WordPiece.read(folder / "tokenizer.json"), config, stored)
        try:
            encoder.embed(["whole"])
        except (KeyError, ValueError) as error:
            raise InputInvalid("embeddings", f"the weights in {folder} do not fit its config.json: {error}") from error
        return encoder

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text, `len(texts)` x `size`, each of length one: their products are cosines.

        Only the first 256 pieces of a text, about 1,000 characters, are read.
        """
        pieces = [self._tokenizer.numbers(text, self._most) for text in texts]
        vectors = np.empty((len(texts), self.size), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(pieces[at]))  # alike lengths together: less padding
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            vectors[chosen] = self._forward([pieces[at] for at in chosen])
        return vectors

    def _forward(self, batch: Sequence[Sequence[int]]) -> Floats:
        longest = max(map(len, batch))
        numbers = np.array([[*row, *[0] * (longest - len(row))] for row in batch])
        present = np.array([[1] * len(row) + [0] * (longest - len(row)) for row in batch], dtype=np.float32)
        weights = self._weights
        x: Floats = (
            weights["embeddings.word_embeddings.weight"][numbers]
            + weights["embeddings.position_embeddings.weight"][:longest]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        x = self._normed(x, "embeddings.LayerNorm")
        hidden = ((1 - present) * _FAR)[:, None, None, :]
        for layer in range(self._layers):
            x = self._layer(x, hidden, f"encoder.layer.{layer}")
        mean = (x * present[:, :, None]).sum(axis=1) / present.sum(axis=1, keepdims=True)
        unit: Floats = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return unit

    def _layer(self, x: Floats, hidden: Floats, name: str) -> Floats:
        texts, length, size = x.shape

        def heads(part: str) -> Floats:
            flat = self._linear(x, f"{name}.attention.self.{part}")
            return flat.reshape(texts, length, self._heads, -1).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / np.sqrt(np.float32(size // self._heads))
        seen = _softmax(scores + hidden) @ heads("value")
        joined = seen.transpose(0, 2, 1, 3).reshape(texts, length, size)
        x = self._normed(
            x + self._linear(joined, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm"
        )
        inner = _gelu(self._linear(x, f"{name}.intermediate.dense"))
        return self._normed(x + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _linear(self, x: Floats, name: str) -> Floats:
        product: Floats = x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product

    def _normed(self, x: Floats, name: str) -> Floats:
        centred = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(self._epsilon))
        normed: Floats = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return normed


def _check(folder: Path, config: dict[str, Any]) -> None:
    """Refuses what would be computed wrongly without a sign of it."""
    pooling = folder / "1_Pooling" / "config.json"
    mean = not pooling.is_file() or json.loads(pooling.read_text(encoding="utf-8")).get("pooling_mode_mean_tokens")
    faults = [
        f"{name} is {config[name]!r}" for name in ("hidden_act", "position_embedding_type") if not _usual(config, name)
    ]
    if config.get("model_type") != "bert":
        faults.append(f"model_type is {config.get('model_type')!r}")
    if not mean:
        faults.append("its pooling is not the mean")
    if faults:
        raise InputInvalid(
            "embeddings", f"{folder} is not a BERT encoder with mean pooling ({'; '.join(faults)}); choose one that is"
        )


def _usual(config: dict[str, Any], name: str) -> bool:
    return bool(config.get(name, _DEFAULTS[name]) == _DEFAULTS[name])


def _softmax(x: Floats) -> Floats:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def _gelu(x: Floats) -> Floats:
    activated: Floats = x * np.float32(0.5) * (1 + _erf(x * np.float32(0.5**0.5)))
    return activated


def _erf(x: Floats) -> Floats:
    """The error function to 1.5e-7 (Abramowitz and Stegun 1964, 7.1.26); NumPy has none."""
    size = np.abs(x)
    t = 1 / (1 + np.float32(0.3275911) * size)
    series = t * (
        np.float32(0.254829592)
        + t
        * (
            np.float32(-0.284496736)
            + t * (np.float32(1.421413741) + t * (np.float32(-1.453152027) + t * np.float32(1.061405429)))
        )
    )
    value: Floats = np.sign(x) * (1 - series * np.exp(-size * size))
    return value
