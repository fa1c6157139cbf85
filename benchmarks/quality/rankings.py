"""Documents ranked by other means than the search of a documents source, to compare with it."""

from collections.abc import Sequence

import bm25s

from elcano.activities.similarity.embedder import open_embedder
from elcano.activities.similarity.similar_passages import rank_related_passages
from elcano.storage.evidence import Evidence


def rank_by_bm25s(documents: dict[str, str], questions: Sequence[str], most: int) -> list[list[str]]:
    """The first documents for each question by bm25s: English stop words, no stemmer."""
    keys = list(documents)
    retriever = bm25s.BM25()
    texts = bm25s.tokenize([documents[key] for key in keys], stopwords="en", show_progress=False)
    retriever.index(texts, show_progress=False)
    asked = bm25s.tokenize(list(questions), stopwords="en", show_progress=False)
    found, _ = retriever.retrieve(asked, k=min(most, len(keys)), show_progress=False)
    return [[keys[int(place)] for place in row] for row in found]


def rank_by_encoder(documents: dict[str, str], questions: Sequence[str], encoder: str, most: int) -> list[list[str]]:
    """What `search_related` finds, were all documents passages of one run, with the encoder that is named."""
    embedder = open_embedder(encoder)
    passages = [
        Evidence(
            id=key,
            source="papers",
            document=key,
            content_hash="",
            title=title.removeprefix("# "),
            locator=key,
            text=text.strip(),
            start=0,
            end=len(text),
        )
        for key, (title, _, text) in ((key, whole.partition("\n\n")) for key, whole in documents.items())
    ]
    return [[one.id for one in rank_related_passages(asked, passages, most, embedder)] for asked in questions]
