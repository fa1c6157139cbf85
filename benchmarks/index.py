"""How fast the documents index is: building, syncing again without a change, searching.

The corpus is made of invented words with a natural spread of frequencies, always the same. Building and searching are
compared with a bare FTS5 table of the same passages in the same run, which tells the machine from the code.
"""

import random
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from itertools import accumulate, product
from pathlib import Path

from benchmarks.bench import Bench
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.subjects.documents.local_sources import Folder
from elcano.subjects.documents.source import DocumentsSource

SECTIONS = 30
LIMIT_BYTES = 50_000_000


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


def write_corpus(folder: Path, files: int) -> None:
    """So many Markdown files with headings, one passage a section."""
    words = Words(seed=7)
    for number in range(files):
        parts = [f"# {' '.join(words.take(3))}"]
        for _ in range(SECTIONS):
            parts += [f"## {' '.join(words.take(4))}", words.paragraph()]
        (folder / f"{number:04}.md").write_text("\n\n".join(parts), encoding="utf-8")


def insert_bare(index: Path, bare: sqlite3.Connection) -> int:
    """Inserts the passages of the index into a table that does nothing else; how many there are."""
    with sqlite3.connect(index) as database:
        rows = database.execute(
            "SELECT d.title, p.heading, substr(d.text, p.start + 1, p.stop - p.start)"
            " FROM passage p JOIN document d ON d.id = p.document"
        ).fetchall()
    database.close()
    with bare:
        bare.execute("CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, tokenize='porter unicode61')")
        bare.executemany("INSERT INTO words VALUES (?, ?, ?)", rows)
    return len(rows)


async def main(bench: Bench) -> None:
    """Builds, syncs, searches and tells."""
    folder, index = bench.folder / "corpus", bench.folder / "index.sqlite"
    folder.mkdir()
    write_corpus(folder, bench.choose(700, 5))
    clock = [0.0]
    source = DocumentsSource(build_collection_spec("bench"), Folder(folder, LIMIT_BYTES), index, clock=lambda: clock[0])
    began = time.perf_counter()
    await source.skipped()
    built = time.perf_counter() - began
    clock[0] += 3600
    began = time.perf_counter()
    await source.skipped()
    again = time.perf_counter() - began
    with closing(sqlite3.connect(bench.folder / "bare.sqlite")) as bare:
        began = time.perf_counter()
        passages = insert_bare(index, bare)
        inserted = time.perf_counter() - began
        words = Words(seed=8)
        queries = [words.take(8) for _ in range(bench.choose(300, 5))]
        searched = await bench.milliseconds(lambda at: source.search(" ".join(queries[at]), 8), len(queries))
        plain = await bench.milliseconds(lambda at: search_bare(bare, queries[at]), len(queries))
    bench.say(f"{passages} passages, built in {built:.2f} s, again without a change {again:.3f} s")
    bench.say(f"a query of 8 words {searched:.1f} ms, bare {plain:.1f} ms")
    bench.tell("build / bare insert", built / inserted)
    bench.tell("unchanged sync / build", again / built)
    bench.tell("query / bare query", searched / plain)


async def search_bare(bare: sqlite3.Connection, words: Sequence[str]) -> None:
    """The best eight passages with any of the words."""
    asked = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 8"
    bare.execute(asked, [" OR ".join(words)]).fetchall()
