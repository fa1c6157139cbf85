"""Passages to compare, and a sentence encoder small enough to be made by a test."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from elcano.storage.evidence import Evidence

WHALES = (
    "The sperm whale dives to a depth of 2,000 metres and stays below for 90 minutes, during which it hunts for giant "
    "squid in complete darkness and finds its prey by echoes alone."
)
BREAD = (
    "A sourdough is kept alive by feeding it flour and water every day, and the bacteria in it make the acids that "
    "give the loaf its taste and keep it from going stale."
)

VOCABULARY = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "whale", "squid", "deep", "sea", "bread", "flour", "a", "the", ",", ".", "!"),
    *("##s", "##ing", "dive"),
]
CONFIG: dict[str, Any] = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": 8,
    "intermediate_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "max_position_embeddings": 16,
    "layer_norm_eps": 1e-12,
}


def passage(name: str, text: str, *, source: str = "docs", title: str = "", heading: str = "") -> Evidence:
    """A passage that is the whole of its document."""
    return Evidence(
        id=f"{source}:{name}",
        source=source,
        document=name,
        content_hash=sha256(text.encode()).hexdigest(),
        title=title,
        locator=name,
        heading=heading,
        text=text,
        start=0,
        end=len(text),
    )


class Topics:
    """An embedder that knows two topics and counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        sea = [float(any(word in text.lower() for word in ("whale", "cetacean", "squid"))) for text in texts]
        return np.array([[wet, 1 - wet] for wet in sea], dtype=np.float32)


def weights(seed: int = 7) -> dict[str, NDArray[np.float32]]:
    """Random tensors under the names of a BERT model that fits `CONFIG`."""
    size, inner = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), size),
        "embeddings.position_embeddings.weight": (CONFIG["max_position_embeddings"], size),
        "embeddings.token_type_embeddings.weight": (2, size),
        **_norm("embeddings.LayerNorm"),
    }
    for layer in (f"encoder.layer.{number}" for number in range(CONFIG["num_hidden_layers"])):
        for part in ("query", "key", "value"):
            shapes |= _dense(f"{layer}.attention.self.{part}", size, size)
        shapes |= _dense(f"{layer}.attention.output.dense", size, size) | _norm(f"{layer}.attention.output.LayerNorm")
        shapes |= _dense(f"{layer}.intermediate.dense", inner, size)
        shapes |= _dense(f"{layer}.output.dense", size, inner) | _norm(f"{layer}.output.LayerNorm")
    chance = np.random.default_rng(seed)
    return {name: chance.normal(0, 0.7, shape).astype(np.float32) for name, shape in shapes.items()}


def model(folder: Path, **changes: Any) -> Path:
    """Writes the files of an encoder into `folder`; `changes` go into its `config.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = {
        "normalizer": {"type": "BertNormalizer", "lowercase": True},
        "model": {"type": "WordPiece", "vocab": {piece: number for number, piece in enumerate(VOCABULARY)}},
    }
    (folder / "config.json").write_text(json.dumps({**CONFIG, **changes}), encoding="utf-8")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    save_file(weights(), folder / "model.safetensors")
    return folder


def _dense(name: str, out: int, given: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (out, given), f"{name}.bias": (out,)}


def _norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (CONFIG["hidden_size"],), f"{name}.bias": (CONFIG["hidden_size"],)}
