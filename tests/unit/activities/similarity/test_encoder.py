"""The forward pass against the same arithmetic written out number by number, and what it refuses."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from elcano.activities.similarity.encoder import Encoder
from elcano.graphs.errors import InputInvalid
from tests.unit.activities.similarity.material import CONFIG, VOCABULARY, model, weights

Row = list[float]
TEXTS = ["The whale dives.", "a", "Bread, flour!", "whales diving, whales diving deep sea, the deep sea", ""]


class Slowly:
    """One text at a time, one number at a time, without padding; the error function is Python's."""

    def __init__(self) -> None:
        self.weights = {name: tensor.astype(float).tolist() for name, tensor in weights().items()}

    def vector(self, pieces: list[int]) -> Row:
        words, places, kind = (
            self.weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        rows = [
            [a + b + c for a, b, c in zip(words[piece], places[at], kind[0], strict=True)]
            for at, piece in enumerate(pieces)
        ]
        rows = [self.norm(row, "embeddings.LayerNorm") for row in rows]
        for number in range(CONFIG["num_hidden_layers"]):
            rows = self.layer(rows, f"encoder.layer.{number}")
        mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        length = math.sqrt(sum(one * one for one in mean))
        return [one / length for one in mean]

    def layer(self, rows: list[Row], name: str) -> list[Row]:
        heads, size = CONFIG["num_attention_heads"], CONFIG["hidden_size"]
        width = size // heads
        query, key, value = (
            [self.dense(row, f"{name}.attention.self.{part}") for row in rows] for part in ("query", "key", "value")
        )
        seen: list[Row] = [[] for _ in rows]
        for head in range(heads):
            part = slice(head * width, (head + 1) * width)
            for at, asked in enumerate(query):
                scores = [
                    sum(a * b for a, b in zip(asked[part], other[part], strict=True)) / math.sqrt(width)
                    for other in key
                ]
                powers = [math.exp(score) for score in scores]
                shares = [power / sum(powers) for power in powers]
                seen[at] += [
                    sum(share * row[part][i] for share, row in zip(shares, value, strict=True)) for i in range(width)
                ]
        out = []
        for row, looked in zip(rows, seen, strict=True):
            middle = self.norm(
                self.added(row, self.dense(looked, f"{name}.attention.output.dense")),
                f"{name}.attention.output.LayerNorm",
            )
            inner = [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in self.dense(middle, f"{name}.intermediate.dense")]
            out.append(
                self.norm(self.added(middle, self.dense(inner, f"{name}.output.dense")), f"{name}.output.LayerNorm")
            )
        return out

    def dense(self, row: Row, name: str) -> Row:
        rows = zip(self.weights[f"{name}.weight"], self.weights[f"{name}.bias"], strict=True)
        return [sum(a * b for a, b in zip(row, weight, strict=True)) + bias for weight, bias in rows]

    def norm(self, row: Row, name: str) -> Row:
        mean = sum(row) / len(row)
        spread = math.sqrt(sum((one - mean) ** 2 for one in row) / len(row) + CONFIG["layer_norm_eps"])
        scale = zip(row, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"], strict=True)
        return [(one - mean) / spread * weight + bias for one, weight, bias in scale]

    @staticmethod
    def added(one: Row, other: Row) -> Row:
        return [a + b for a, b in zip(one, other, strict=True)]


PIECES = [
    "[CLS] the whale dive ##s . [SEP]",
    "[CLS] a [SEP]",
    "[CLS] bread , flour ! [SEP]",
    "[CLS] whale ##s [UNK] , whale ##s [UNK] deep sea , the deep sea [SEP]",
    "[CLS] [SEP]",
]
"""`TEXTS` in pieces; `diving` cannot be made of any."""


def test_it_computes_what_the_long_way_computes(tmp_path: Path) -> None:
    vectors = Encoder.read(model(tmp_path)).embed(TEXTS)
    slowly = Slowly()
    expected = [slowly.vector([VOCABULARY.index(piece) for piece in pieces.split()]) for pieces in PIECES]
    np.testing.assert_allclose(vectors, expected, atol=2e-5)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)


def test_a_text_has_the_same_vector_in_any_company(tmp_path: Path) -> None:
    encoder = Encoder.read(model(tmp_path))
    texts = [*TEXTS, *(f"{text} deep sea" for text in TEXTS * 8)]
    alone = np.concatenate([encoder.embed([text]) for text in texts])
    np.testing.assert_allclose(encoder.embed(texts), alone, atol=1e-5)
    assert encoder.embed([]).shape == (0, CONFIG["hidden_size"])


def test_of_a_long_text_the_beginning_is_read(tmp_path: Path) -> None:
    encoder = Encoder.read(model(tmp_path))
    room = CONFIG["max_position_embeddings"] - 2
    first, second = encoder.embed(["whale " * room, "whale " * room + "bread " * 50])
    np.testing.assert_array_equal(first, second)


def test_tensors_may_carry_the_prefix_of_a_whole_model(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    plain = Encoder.read(model(tmp_path)).embed(TEXTS)
    save_file({f"bert.{name}": tensor for name, tensor in weights().items()}, tmp_path / "model.safetensors")
    np.testing.assert_array_equal(Encoder.read(tmp_path).embed(TEXTS), plain)


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json", "model.safetensors"])
def test_each_file_is_needed(tmp_path: Path, missing: str) -> None:
    (model(tmp_path) / missing).unlink()
    with pytest.raises(InputInvalid, match=f"there is no {missing}"):
        Encoder.read(tmp_path)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"model_type": "mpnet"}, "mpnet"),
        ({"hidden_act": "relu"}, "relu"),
        ({"position_embedding_type": "relative_key"}, "relative_key"),
        ({"num_hidden_layers": 3}, "do not fit"),
        ({"num_attention_heads": 3}, "do not fit"),
    ],
)
def test_another_kind_of_model_is_refused(tmp_path: Path, change: dict[str, object], named: str) -> None:
    with pytest.raises(InputInvalid, match=named):
        Encoder.read(model(tmp_path, **change))


def test_another_pooling_is_refused(tmp_path: Path) -> None:
    pooling = model(tmp_path) / "1_Pooling" / "config.json"
    pooling.parent.mkdir()
    pooling.write_text(json.dumps({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}))
    with pytest.raises(InputInvalid, match="pooling is not the mean"):
        Encoder.read(tmp_path)
    pooling.write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    assert Encoder.read(tmp_path).size == CONFIG["hidden_size"]
