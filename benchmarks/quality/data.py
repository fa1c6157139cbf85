"""The data sets as documents and questions. Nothing of them is in the repository: they are read from a folder.

`pubmedqa/` holds `abstracts.jsonl` (`pmid`, `text`, `labels`: one paragraph for each label) and `questions.jsonl`
(`pmid`, `question`) from the PubMedQA repository; `xquad/` holds `en.json` and others from the XQuAD repository, in
SQuAD's form. A paragraph of XQuAD is a document by itself.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

BESIDE: Final = Path(__file__).parents[3] / "shared" / "data"
"""Where the data is looked for unless a folder is named: beside the checkout, as the tests look for recordings."""
PUBMEDQA: Final = "pubmedqa"
LANGUAGES: Final = ("en", "de", "es", "zh")

_RESULTS: Final = re.compile(r"\b(?:RESULTS?|FINDINGS?|CONCLUSIONS?|INTERPRETATION)\b")
_MIXED: Final = re.compile(r"\bMETHODS?\b")


@dataclass(frozen=True)
class Asked:
    """One question of a data set."""

    question: str
    gold: str
    """The key of the document that answers it."""
    answers: tuple[str, ...] = ()
    """The literal answers that count as right; none where the data set has no such thing."""


@dataclass(frozen=True)
class DataSet:
    """Documents by key, and what is asked of them."""

    name: str
    documents: dict[str, str]
    questions: tuple[Asked, ...]
    results: dict[str, str]
    """By key, the paragraphs of a document that are labelled as its results or conclusions; without methods."""


def pubmedqa(folder: Path) -> DataSet:
    """The abstracts without their conclusions, and the questions that their authors answered with them."""
    documents: dict[str, str] = {}
    results: dict[str, str] = {}
    for row in _rows(folder / PUBMEDQA / "abstracts.jsonl"):
        key = f"{row['pmid']}.txt"
        documents[key] = row["text"]
        labelled = zip(row["labels"], row["text"].split("\n\n"), strict=True)
        results[key] = "\n\n".join(
            text for label, text in labelled if _RESULTS.search(label) and not _MIXED.search(label)
        )
    asked = tuple(Asked(row["question"], f"{row['pmid']}.txt") for row in _rows(folder / PUBMEDQA / "questions.jsonl"))
    return DataSet(PUBMEDQA, documents, asked, results)


def xquad(folder: Path, language: str) -> DataSet:
    """The paragraphs of one language and their questions."""
    documents: dict[str, str] = {}
    asked: list[Asked] = []
    articles = json.loads((folder / "xquad" / f"{language}.json").read_text(encoding="utf-8"))["data"]
    for paragraph in (one for article in articles for one in article["paragraphs"]):
        key = f"{len(documents):04}.txt"
        documents[key] = paragraph["context"]
        for row in paragraph["qas"]:
            asked.append(Asked(row["question"], key, tuple(one["text"] for one in row["answers"])))
    return DataSet(f"xquad-{language}", documents, tuple(asked), {})


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
