"""A sentence encoder as its folder describes it: `tokenizers` splits, `onnxruntime` computes, here it is put together.

The folder is laid out as sentence-transformers and the models on the Hugging Face hub are: `tokenizer.json`,
`onnx/model.onnx` or `model.onnx`, and if need be `modules.json`, `1_Pooling/config.json`, `sentence_bert_config.json`.
Any architecture and language will do. Weights in `model.safetensors` alone are refused: they do not say how to compute
with them. This module needs the extra `embeddings`: import it only when asked to.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from elcano.graphs.errors import InputInvalid

Floats: TypeAlias = NDArray[np.float32]
Pooling: TypeAlias = Literal["cls", "mean"]

GRAPHS: Final = ("onnx/model.onnx", "model.onnx")
"""Paths of the model's graph, in the order of lookup."""
LONGEST: Final = 256
"""Pieces of a text that are read at most; a passage of 900 characters has fewer. Models may be meant for less."""
BATCH: Final = 16
"""Texts that are encoded together; more of them fill the processor's cache and are no faster."""
_POOLINGS: Final[Mapping[str, Pooling]] = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}
_MODULES: Final = frozenset({"Transformer", "Pooling", "Normalize"})


class Encoder:
    """Sentences as vectors.

    Args:
        tokenizer: splits texts into the model's pieces; it is set to pad and to cut.
        session: the computation, from pieces to a vector a piece, which is its first output.
        pooling: whether a text's vector is that of its first piece, or the mean of all.
        longest: how many pieces are read.
    """

    def __init__(
        self, tokenizer: Tokenizer, session: onnxruntime.InferenceSession, pooling: Pooling, longest: int
    ) -> None:
        tokenizer.enable_truncation(longest)
        tokenizer.enable_padding(**_read_padding(tokenizer))
        self._tokenizer = tokenizer
        self._session = session
        self._pooling = pooling
        self._inputs = [given.name for given in session.get_inputs()]
        self._output = session.get_outputs()[0].name
        self.size = int(self._forward(["whole " * longest]).shape[1])  # what is too long for the model shows here

    @classmethod
    def read(cls, folder: Path) -> "Encoder":
        """The model in `folder`.

        Raises:
            InputInvalid: a file is missing or cannot be read, or it is no sentence encoder that can be used.
        """
        graph = next((folder / name for name in GRAPHS if (folder / name).is_file()), None)
        if graph is None:
            raise InputInvalid(
                "embeddings",
                f"there is no {GRAPHS[0]} in {folder}; download it with the model, or make it with "
                f"`optimum-cli export onnx --task feature-extraction --model {folder} {folder / 'onnx'}`",
            )
        if not (folder / "tokenizer.json").is_file():
            raise InputInvalid("embeddings", f"there is no tokenizer.json in {folder}; name the folder of an encoder")
        try:
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
            longest = int(
                _load_optional_json(folder / "sentence_bert_config.json", {}).get("max_seq_length") or LONGEST
            )
            return cls(tokenizer, session, _load_pooling(folder), min(LONGEST, longest))
        except Exception as error:  # both libraries raise bare exceptions
            raise InputInvalid("embeddings", f"{folder} is no encoder that can be used: {error}") from error

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text, `len(texts)` x `size`, each of length one: their products are cosines.

        Only the first 256 pieces of a text, about 1,000 characters, are read.
        """
        vectors = np.empty((len(texts), self.size), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))  # alike lengths together: less padding
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            vectors[chosen] = self._forward([texts[at] for at in chosen])
        return vectors

    def _forward(self, texts: list[str]) -> Floats:
        encoded = self._tokenizer.encode_batch(texts)
        present = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        given = {
            "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
            "attention_mask": present,
            "token_type_ids": np.zeros_like(present),
        }
        if strange := [name for name in self._inputs if name not in given]:
            raise ValueError(f"it asks for {', '.join(strange)}, which a text does not have")
        (pieces,) = self._session.run([self._output], {name: given[name] for name in self._inputs})
        if pieces.ndim != 3:
            raise ValueError(f"its first output, {self._output}, is not a vector for each piece")
        if self._pooling == "cls":
            return _normalize_rows(pieces[:, 0])
        weights = present[:, :, None].astype(np.float32)
        return _normalize_rows((pieces * weights).sum(axis=1))  # the mean but for its length


def _normalize_rows(rows: Floats) -> Floats:
    """`rows` of length one; a text without a piece stays at zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Floats = rows / np.maximum(lengths, np.finfo(np.float32).tiny)
    return unit


def _read_padding(tokenizer: Tokenizer) -> dict[str, Any]:
    """Padding to the longest text of a batch, with the tokenizer's own piece if it names one."""
    settings = tokenizer.padding or {}
    return {name: settings[name] for name in ("pad_id", "pad_token", "pad_type_id") if name in settings}


def _load_pooling(folder: Path) -> Pooling:
    """Load how vectors of pieces become one; the mean by default. Refuses what would give other vectors unseen."""
    modules = {str(one["type"]).rpartition(".")[2] for one in _load_optional_json(folder / "modules.json", [])}
    if strange := sorted(modules - _MODULES):
        raise ValueError(f"modules.json has {', '.join(strange)}, which the graph does not hold")
    settings = _load_optional_json(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
    chosen = [name for name, value in settings.items() if name.startswith("pooling_mode_") and value is True]
    if len(chosen) != 1 or chosen[0] not in _POOLINGS:
        raise ValueError(f"its pooling is {', '.join(chosen) or 'not named'}; only those of cls and mean can be used")
    return _POOLINGS[chosen[0]]


def _load_optional_json(file: Path, otherwise: Any) -> Any:
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else otherwise
