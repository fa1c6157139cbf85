"""Passages to compare, and a sentence encoder small enough to be made by a test."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper, save_model
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing

from elcano.storage.evidence import Evidence

WHALES = (
    "The sperm whale dives to a depth of 2,000 metres and stays below for 90 minutes, during which it hunts for giant "
    "squid in complete darkness and finds its prey by echoes alone."
)
BREAD = (
    "A sourdough is kept alive by feeding it flour and water every day, and the bacteria in it make the acids that "
    "give the loaf its taste and keep it from going stale."
)

SIZE = 4
LONGEST = 16
VOCABULARY = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "whale", "squid", "deep", "sea", "bread", "flour", "a", "the", ",", ".", "!"),
    *("##s", "##ing", "dive"),
]


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


def table(seed: int = 7) -> NDArray[np.float32]:
    """A vector for each piece of `VOCABULARY`."""
    return np.random.default_rng(seed).normal(0, 1, (len(VOCABULARY), SIZE)).astype(np.float32)


def model(folder: Path, *, inputs: Sequence[str] = ("input_ids", "attention_mask"), pooled: bool = False) -> Path:
    """Writes the files of an encoder into `folder`: a piece's vector is that of `table`, wherever it stands.

    Args:
        folder: made if need be.
        inputs: what the graph asks for; it uses the first.
        pooled: whether the graph gives one vector a text instead of one a piece.
    """
    tokenizer = Tokenizer(WordPiece({piece: at for at, piece in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": LONGEST}), encoding="utf-8")
    given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "pieces"]) for name in inputs]
    looked_up = helper.make_node("Gather", ["table", inputs[0]], ["vectors"])
    summed = helper.make_node("ReduceSum", ["vectors", "axis"], ["out"], keepdims=0)
    kept = helper.make_node("Identity", ["vectors"], ["out"])
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, None)
    constants = [numpy_helper.from_array(table(), "table"), numpy_helper.from_array(np.array([1]), "axis")]
    nodes = [looked_up, summed if pooled else kept]
    graph = helper.make_graph(nodes, "tiny", given, [out], initializer=constants if pooled else constants[:1])
    opset = [helper.make_opsetid("", 13)]
    save_model(helper.make_model(graph, ir_version=8, opset_imports=opset), folder / "onnx" / "model.onnx")
    return folder
