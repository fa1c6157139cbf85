"""Texts as vectors by a tiny graph whose answers can be worked out by hand, and what is refused before a run begins."""

import json
from pathlib import Path

import numpy as np
import pytest

from elcano.activities.similarity.encoder import Encoder
from elcano.graphs.errors import InputInvalid
from tests.unit.activities.similarity.material import LONGEST, SIZE, VOCABULARY, model, table

TEXTS = ["The whale dives.", "a", "Bread, flour!", "whales diving, whales diving deep sea, the deep sea", ""]
PIECES = [
    "[CLS] the whale dive ##s . [SEP]",
    "[CLS] a [SEP]",
    "[CLS] bread , flour ! [SEP]",
    "[CLS] whale ##s [UNK] , whale ##s [UNK] deep sea , the deep sea [SEP]",
    "[CLS] [SEP]",
]
"""`TEXTS` in pieces; `diving` cannot be made of any."""


def pooling(folder: Path, **told: object) -> Path:
    file = model(folder) / "1_Pooling" / "config.json"
    file.parent.mkdir()
    file.write_text(json.dumps(told), encoding="utf-8")
    return folder


def test_a_text_is_the_mean_of_its_pieces(tmp_path: Path) -> None:
    vectors = Encoder.read(model(tmp_path)).embed(TEXTS)
    means = np.array([table()[[VOCABULARY.index(one) for one in pieces.split()]].mean(axis=0) for pieces in PIECES])
    np.testing.assert_allclose(vectors, means / np.linalg.norm(means, axis=1, keepdims=True), atol=1e-5)
    assert vectors.dtype == np.float32


def test_a_text_has_the_same_vector_in_any_company(tmp_path: Path) -> None:
    encoder = Encoder.read(model(tmp_path))
    texts = [*TEXTS, *(f"{text} deep sea" for text in TEXTS * 8)]
    alone = np.concatenate([encoder.embed([text]) for text in texts])
    np.testing.assert_allclose(encoder.embed(texts), alone, atol=1e-5)
    assert encoder.embed([]).shape == (0, SIZE)


def test_of_a_long_text_the_beginning_is_read(tmp_path: Path) -> None:
    encoder = Encoder.read(model(tmp_path))
    room = LONGEST - 2
    shorter, first, second = encoder.embed(["whale " * (room - 1), "whale " * room, "whale " * room + "bread " * 50])
    np.testing.assert_array_equal(first, second)
    assert not np.allclose(shorter, first)


def test_the_first_piece_speaks_for_the_text_if_the_model_says_so(tmp_path: Path) -> None:
    encoder = Encoder.read(pooling(tmp_path, pooling_mode_cls_token=True, pooling_mode_mean_tokens=False))
    first = table()[VOCABULARY.index("[CLS]")]
    np.testing.assert_allclose(encoder.embed(TEXTS), [first / np.linalg.norm(first)] * len(TEXTS), atol=1e-6)


def test_a_graph_may_ask_for_less_and_lie_beside_the_tokenizer(tmp_path: Path) -> None:
    usual = Encoder.read(model(tmp_path / "usual")).embed(TEXTS)
    folder = model(tmp_path / "other", inputs=("input_ids",))
    (folder / "onnx" / "model.onnx").rename(folder / "model.onnx")
    np.testing.assert_array_equal(Encoder.read(folder).embed(TEXTS), usual)


def test_weights_without_their_computation_are_refused_with_the_way_to_it(tmp_path: Path) -> None:
    (model(tmp_path) / "onnx" / "model.onnx").rename(tmp_path / "model.safetensors")
    with pytest.raises(InputInvalid, match=r"no onnx/model\.onnx.*optimum-cli export onnx"):
        Encoder.read(tmp_path)


@pytest.mark.parametrize(
    ("file", "text", "named"),
    [
        ("tokenizer.json", None, "no tokenizer.json"),
        ("tokenizer.json", "{}", "no encoder that can be used"),
        ("onnx/model.onnx", "text", "no encoder that can be used.*model.onnx"),
        ("sentence_bert_config.json", '{"max_seq_length": 0.5', "no encoder that can be used"),
        ("modules.json", '[{"type": "sentence_transformers.models.Dense"}]', "modules.json has Dense"),
    ],
)
def test_a_folder_that_is_no_encoder_is_refused(tmp_path: Path, file: str, text: str | None, named: str) -> None:
    place = model(tmp_path) / file
    if text is None:
        place.unlink()
    else:
        place.write_text(text, encoding="utf-8")
    with pytest.raises(InputInvalid, match=named):
        Encoder.read(tmp_path)


@pytest.mark.parametrize(
    ("told", "named"),
    [
        ({"pooling_mode_max_tokens": True}, "pooling_mode_max_tokens"),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}, "mean_tokens, pooling_mode_cls_token"),
        ({}, "not named"),
    ],
)
def test_another_pooling_is_refused(tmp_path: Path, told: dict[str, object], named: str) -> None:
    with pytest.raises(InputInvalid, match=named):
        Encoder.read(pooling(tmp_path, **told))


def test_a_graph_that_asks_for_or_gives_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputInvalid, match="asks for pixels, which a text does not have"):
        Encoder.read(model(tmp_path / "pixels", inputs=("input_ids", "pixels")))
    with pytest.raises(InputInvalid, match="first output, out, is not a vector for each piece"):
        Encoder.read(model(tmp_path / "pooled", pooled=True))
