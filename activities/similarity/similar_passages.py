"""Compares passages: which of a run's repeat older ones, and which bear on a question.

After every search the new passages are compared with the older ones; what was compared before is kept in memory. The
order of the passages in the store decides, never the memory: where both disagree, or nothing is kept (after a restart,
or because another worker did the searches before), the run is compared from its first passage on, and the answer is
the same. Repetitions are found by words alone, so that every worker says the same, vectors or not.

A passage repeats an older one if at least 90 % of its runs of three words stand there too (the containment of Broder
1997, "On the resemblance and containment of documents"), and every number and every negation with them. Measured on
3,162 paragraphs of 1,000 PubMed abstracts: no two of different abstracts share more than 44 % of such runs, while
copies with one word of a hundred changed are recognised in 98 % of all cases (`benchmarks/similarity.py`). The
direction matters: a passage that says more than the older one is no repetition of it.

Relevance to a question is scored with BM25, as in a documents source. With an embedder the best 60 are scored again:
both scores are brought to 0..1 and added in equal parts, which found more than either of them on PubMedQA (R@1 .962 by
words, .971 by vectors, .982 by both), XQuAD and Cranfield, and more than ranks fused.
"""

import asyncio
import math
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from elcano.activities.passages.search import BM25, TOKENIZER, build_fts_expression, format_index_text
from elcano.activities.similarity.embedder import Embedder
from elcano.storage.evidence import Evidence, EvidenceStore
from elcano.text.languages import language_of, text_language
from elcano.text.words import split_words

SHINGLE: Final = 3
"""Words in a run."""
CONTAINED: Final = 0.9
LEAST_WORDS: Final = 20
"""Shorter passages live by what is above them ("Python 3.8+"), and hiding them saves nothing."""

_NEGATIONS: Final = frozenset({"no", "not", "nor", "none", "never", "neither", "without", "cannot", "t"})
"""`t` is what is left of an `isn.t` whose sign is no apostrophe."""


class _Read(NamedTuple):
    """A passage as it is compared."""

    shingles: frozenset[int]
    probes: tuple[int, ...]
    """Enough shingles that one must occur in anything this passage repeats; none if it is too short to repeat any."""
    facts: Counter[str]
    """Counts of each number and negation, including its title and headings."""

    def repeats(self, older: "_Read") -> bool:
        """Whether it says nothing that `older` does not say."""
        shared = len(self.shingles & older.shingles)
        return shared >= CONTAINED * len(self.shingles) and self.facts <= older.facts


@dataclass(frozen=True)
class ComparedPassages:
    """The passages of a run that were compared so far. Comparing more gives another one; this one stays as it is."""

    ids: tuple[str, ...] = ()
    """All of them, the oldest first."""
    repeats: Mapping[str, str] = field(default_factory=dict)
    """For each passage that repeats an earlier one the id of that; the earlier one is never a repetition itself."""
    _originals: tuple[tuple[str, _Read], ...] = ()
    """Passages that repeat nothing, the only ones that a new passage has to be compared with."""

    @property
    def size(self) -> int:
        """Return the number of passages whose runs of words it keeps."""
        return len(self._originals)

    def followed_by(self, passages: Sequence[Evidence]) -> "ComparedPassages":
        """Return the comparison with `passages` appended; it does not matter in how many steps they are added.

        What a passage is said to repeat depends only on those before it: passages that are added change nothing.

        Args:
            passages: the oldest first, none of them compared before.
        """
        reads = [_shingle_passage(f"{passage.title} {passage.heading}", passage.text) for passage in passages]
        known = [read for _, read in self._originals]
        originals: dict[int, tuple[str, _Read]] = dict(enumerate(self._originals))
        repeats = dict(self.repeats)
        candidates = _find_candidates([*known, *reads], len(known))
        for at, (passage, read, older) in enumerate(zip(passages, reads, candidates, strict=True), start=len(known)):
            twin = next((originals[one] for one in older if one in originals and read.repeats(originals[one][1])), None)
            if twin is None:
                originals[at] = (passage.id, read)
            else:
                repeats[passage.id] = twin[0]
        ids = (*self.ids, *(passage.id for passage in passages))
        return ComparedPassages(ids, repeats, tuple(originals.values()))


def _find_candidates(reads: Sequence[_Read], first: int) -> list[list[int]]:
    """For each passage from position `first` on the positions of all earlier ones that it may repeat, the oldest first.

    Who misses at most a tenth of a passage's runs has one of any tenth and one more, so only those are looked for
    (the prefix filter of Chaudhuri, Ganti and Kaushik 2006); nothing is lost.
    """
    askers: dict[int, list[int]] = {}
    for position, read in enumerate(reads[first:], start=first):
        for probe in read.probes:
            askers.setdefault(probe, []).append(position)
    probes = frozenset(askers)
    older: list[list[int]] = [[] for _ in reads[first:]]
    for position, read in enumerate(reads):
        for asker in {asker for shingle in read.shingles & probes for asker in askers[shingle] if asker > position}:
            older[asker - first].append(position)
    return older


def _shingle_passage(above: str, text: str) -> _Read:
    own = split_words(text)
    starts = range(max(1, len(own) - SHINGLE + 1))
    shingles = frozenset(hash(tuple(own[start : start + SHINGLE])) for start in starts)
    enough = math.ceil(CONTAINED * len(shingles))
    return _Read(
        shingles=shingles,
        probes=tuple(islice(shingles, len(shingles) - enough + 1)) if len(own) >= LEAST_WORDS else (),
        facts=Counter(word for word in (*own, *split_words(above)) if _is_fact(word)),
    )


def _is_fact(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't") or any(sign.isdigit() for sign in word)


REMEMBERED: Final = 4_000
"""Passages that are kept in memory, all runs together, some 30 KiB each; the runs that were not asked for longest go
first. A run that alone has more is compared anew each time."""

_Run: TypeAlias = tuple[str, str]
"""A tenant and its run."""


class PassageComparison:
    """The passages of runs, compared as they come."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._kept: dict[_Run, ComparedPassages] = {}

    async def repeats(self, evidence: EvidenceStore, run_id: str) -> Mapping[str, str]:
        """For each passage of the run and its branches that repeats an older one the id of that.

        Passages that the store has when this is called are among those compared; what comes meanwhile may be.
        """
        run = (evidence.tenant, run_id)
        known = self._kept.get(run)
        if known is None:
            compared = await asyncio.to_thread(ComparedPassages().followed_by, await evidence.of_run(run_id))
        else:
            compared = await self._up_to_date(evidence, run_id, known)
        self._keep(run, compared)
        return compared.repeats

    async def _up_to_date(self, evidence: EvidenceStore, run_id: str, known: ComparedPassages) -> ComparedPassages:
        ids = tuple(await evidence.ids_of_run(run_id))
        if ids[: len(known.ids)] != known.ids:  # a run that began anew, or was found in another order
            return await asyncio.to_thread(ComparedPassages().followed_by, await evidence.of_run(run_id))
        added = await evidence.get(ids[len(known.ids) :])
        return await asyncio.to_thread(known.followed_by, added) if added else known

    def _keep(self, run: _Run, compared: ComparedPassages) -> None:
        """Keeps the farthest state of a run; searches at once may have begun from the same one."""
        other = self._kept.pop(run, None)
        if other is not None and other.ids[: len(compared.ids)] == compared.ids:
            compared = other
        self._kept[run] = compared
        while sum(one.size for one in self._kept.values()) > self._most:
            self._kept.pop(next(iter(self._kept)))


POOL: Final = 60
"""Passages whose vectors are looked at. Those that share words come first, then others in the order of finding."""
LEAST_COSINE: Final = 0.3
"""A passage that shares no word is related only if it is this close."""


def rank_related_passages(
    query: str, passages: Sequence[Evidence], limit: int, embedder: Embedder | None
) -> list[Evidence]:
    """At most `limit` of `passages`, the best first; none that has nothing in common with `query`."""
    words = score_passages(query, passages)
    if embedder is None:
        return [passages[at] for at in words][:limit]
    pool = [*words, *(at for at in range(len(passages)) if at not in words)][:POOL]
    cosines = _compute_cosines(query, [passages[at] for at in pool], embedder)
    shared = _scale_scores([words.get(at, 0.0) for at in pool])
    score = {at: own + close for at, own, close in zip(pool, shared, _scale_scores(cosines), strict=True)}
    found = [at for at, cosine in zip(pool, cosines, strict=True) if at in words or cosine >= LEAST_COSINE]
    return [passages[at] for at in sorted(found, key=lambda at: -score[at])[:limit]]


def score_passages(query: str, passages: Sequence[Evidence]) -> Mapping[int, float]:
    """The score of each passage that has a word of `query`, by its position, the best first."""
    spoken = [text_language(f"{one.title}\n{one.text}") for one in passages]
    common = [language for language, _ in Counter(spoken).most_common()]
    match = build_fts_expression(query, language_of(query, common), common)
    if not match or not passages:
        return {}
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f'CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, tokenize="{TOKENIZER}")')
        rows = (
            (at, *(format_index_text(text, language) for text in (one.title, one.heading, one.text)))
            for at, (one, language) in enumerate(zip(passages, spoken, strict=True))
        )
        database.executemany("INSERT INTO words (rowid, title, heading, body) VALUES (?, ?, ?, ?)", rows)
        ranked = "SELECT rowid, -rank FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank, rowid"
        return dict(database.execute(ranked, (match, BM25)).fetchall())


def _compute_cosines(query: str, passages: Sequence[Evidence], embedder: Embedder) -> list[float]:
    asked, *rest = embedder.embed([query, *(f"{one.title}\n{one.text}" for one in passages)])
    return [float(one @ asked) for one in rest]


def _scale_scores(scores: Sequence[float]) -> list[float]:
    """`scores` from 0 to 1; all 0 if they do not differ."""
    least = min(scores, default=0.0)
    reach = max(scores, default=0.0) - least
    return [(score - least) / reach if reach else 0.0 for score in scores]
