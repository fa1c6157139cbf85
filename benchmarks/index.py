"""How fast the documents index is: building, syncing again without a change, searching.

    python -m benchmarks.index

The corpus is made of invented words with a natural spread of frequencies, always the same. The build is also compared
with inserting the same passages into a bare FTS5 table in the same run, which tells the machine from the code.
"""

import asyncio
import random
import sqlite3
import tempfile
import time
from itertools import accumulate, product
from pathlib import Path
from statistics import median, quantiles

from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.plugins.documents.folder import Folder
from elcano.plugins.documents.source import DocumentsSource

FILES = 700
SECTIONS = 30
LIMIT_BYTES = 50_000_000
QUERIES = 300


class Words:
    """Invented words whose frequencies fall as those of a language do (Zipf)."""

    def __init__(self, seed: int) -> None:
        syllables = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]
        self._words = ["".join(three) for three in product(syllables[:30], syllables[30:70], syllables[:20])]
        self._random = random.Random(seed)
        self._random.shuffle(self._words)
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(len(self._words))))

    def take(self, count: int) -> list[str]:
        """So many words, the commonest most often."""
        return self._random.choices(self._words, cum_weights=self._weights, k=count)

    def paragraph(self) -> str:
        """Some sentences of about 600 characters in all."""
        return " ".join(" ".join(self.take(12)).capitalize() + "." for _ in range(8))


def write_corpus(folder: Path) -> None:
    """Markdown files with headings, one passage a section."""
    words = Words(seed=7)
    for number in range(FILES):
        parts = [f"# {' '.join(words.take(3))}"]
        for _ in range(SECTIONS):
            parts += [f"## {' '.join(words.take(4))}", words.paragraph()]
        (folder / f"{number:04}.md").write_text("\n\n".join(parts), encoding="utf-8")


def bare_insert(index: Path, bare: Path) -> tuple[int, float]:
    """How many passages the index holds and the seconds to insert them into a table that does nothing else."""
    with sqlite3.connect(index) as database:
        rows = database.execute(
            "SELECT d.title, p.heading, substr(d.text, p.start + 1, p.stop - p.start)"
            " FROM passage p JOIN document d ON d.id = p.document"
        ).fetchall()
    database.close()
    began = time.perf_counter()
    with sqlite3.connect(bare) as database:
        database.execute("CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, tokenize='porter unicode61')")
        database.executemany("INSERT INTO words VALUES (?, ?, ?)", rows)
    database.close()
    return len(rows), time.perf_counter() - began


async def measure(work: Path) -> None:
    """Builds, syncs, searches and prints."""
    folder, index = work / "corpus", work / "index.sqlite"
    folder.mkdir()
    write_corpus(folder)
    clock = [0.0]
    source = DocumentsSource(build_collection_spec("bench"), Folder(folder, LIMIT_BYTES), index, clock=lambda: clock[0])
    began = time.perf_counter()
    await source.skipped()
    build = time.perf_counter() - began
    clock[0] += 3600
    began = time.perf_counter()
    await source.skipped()
    again = time.perf_counter() - began
    words = Words(seed=8)
    times = []
    for _ in range(QUERIES):
        query = " ".join(words.take(8))
        began = time.perf_counter()
        await source.search(query, 8)
        times.append((time.perf_counter() - began) * 1000)
    passages, bare = bare_insert(index, work / "bare.sqlite")
    print(f"{FILES} files, {passages} passages, index {index.stat().st_size / 1e6:.1f} MB")
    print(f"build            {build:.2f} s ({build / bare:.1f} times a bare FTS5 insert of {bare:.2f} s)")
    print(f"unchanged sync   {again:.3f} s")
    print(f"query of 8 words p50 {median(times):.1f} ms, p95 {quantiles(times, n=20)[18]:.1f} ms")


def main() -> None:
    """Everything happens in a temporary folder."""
    with tempfile.TemporaryDirectory() as work:
        asyncio.run(measure(Path(work)))


if __name__ == "__main__":
    main()
