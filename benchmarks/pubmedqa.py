"""How often a question finds the abstract that answers it: PubMedQA through the documents source.

    python -m benchmarks.pubmedqa FOLDER

FOLDER holds `abstracts.jsonl` (`pmid`, `text`) and `questions.jsonl` (`pmid`, `question`) from the PubMedQA repository.
An abstract is one file and counts as found at the rank of its first passage, among the first 50 passages.
"""

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean

from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.subjects.documents.local_sources import Folder
from elcano.subjects.documents.source import DocumentsSource

PASSAGES = 50
LIMIT_BYTES = 50_000_000


async def measure(data: Path, work: Path) -> None:
    """Indexes the abstracts below `work` and prints recall at 1, 5 and 10 and the mean reciprocal rank."""
    abstracts = work / "abstracts"
    abstracts.mkdir()
    for row in _rows(data / "abstracts.jsonl"):
        (abstracts / f"{row['pmid']}.txt").write_text(row["text"], encoding="utf-8")
    source = DocumentsSource(build_collection_spec("pubmedqa"), Folder(abstracts, LIMIT_BYTES), work / "index.sqlite")
    began = time.perf_counter()
    await source.search("warm", 1)
    print(f"indexed in {time.perf_counter() - began:.2f} s")
    ranks: list[int | None] = []
    seconds: list[float] = []
    for row in _rows(data / "questions.jsonl"):
        began = time.perf_counter()
        found = await source.search(row["question"], PASSAGES)
        seconds.append(time.perf_counter() - began)
        documents = list(dict.fromkeys(passage.locator for passage in found.evidence))
        wanted = f"{row['pmid']}.txt"
        ranks.append(documents.index(wanted) + 1 if wanted in documents else None)
    for depth in (1, 5, 10):
        print(f"R@{depth:<2} {fmean(rank is not None and rank <= depth for rank in ranks):.3f}")
    print(f"MRR  {fmean(1 / rank if rank else 0.0 for rank in ranks):.4f}")
    print(f"{len(ranks)} questions, mean {fmean(seconds) * 1000:.1f} ms")


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Reads the folder from the command line."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as work:
        asyncio.run(measure(Path(sys.argv[1]), Path(work)))


if __name__ == "__main__":
    main()
