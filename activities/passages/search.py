"""Finding passages in an index of words: BM25 over title, heading and body, spread over documents.

The index parts words at what is no letter, digit or mark, leaves accents out, and stems what it gets by Porter's
English rules. So English texts go in as they are, which is fastest. A text of another language goes in as the stems of
its words, which Porter's rules then shorten once more, in the text and in the query alike. All languages share one
space of words: a name is found in documents of any language, and how rare a word is, is counted over all of them.

Each function that searches takes the connection of `Index.reading`, so that what it answers is of one moment.

Reads the beginnings of sections: they state the general facts, but a search ranks repetitions higher.

A page on an option says what it is in its first lines and names it in all others, so that the words of a question rank
any of these higher. Along with a passage that was found the first one below the same heading is read, and for a page
that is called after what is searched for its first one. Of a readme that is searched for the beginning is read.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from elcano.activities.passages.document import Passage
from elcano.activities.passages.weak_passages import STUB_CHARACTERS, Hit, is_line, stubs_last
from elcano.text.languages import ENGLISH, UNSPACED, language_of, stemmer_of, stop_words
from elcano.text.stems import root_in
from elcano.text.words import asked_words, flatten_exponents, space_out_pairs, split_words

TOKENIZER: Final = "porter unicode61 categories 'L* N* Co Mn Mc'"
"""The signs of Hindi, Tamil or Thai are letters and marks; without the marks their words would fall apart."""


def format_index_text(text: str, language: str) -> str:
    """Return the form of `text`, in `language`, for the index."""
    if not _is_stemmed(language):
        return space_out_pairs(flatten_exponents(text))
    return " ".join([root_in(language, word) for word in split_words(text)])


def _is_stemmed(language: str) -> bool:
    return language != ENGLISH and language not in UNSPACED and bool(stemmer_of(language))


MOST_WORDS: Final = 40
"""Maximum number of different words of a query; each costs a pass over the passages that have it."""


def search_words(query: str, language: str = ENGLISH) -> list[str]:
    """The different words of `query` that can distinguish passages; all of them if none can.

    Args:
        query: a question or some words.
        language: the one it is in, whose stop words are left out.
    """
    telling = asked_words(query, stop_words(language)) or split_words(query)
    return list(dict.fromkeys(telling))[:MOST_WORDS]


def build_fts_expression(query: str, language: str = ENGLISH, searched: Sequence[str] = (ENGLISH,)) -> str:
    """Build the FTS5 expression: nothing of the query but its words reaches it. Empty if there are none.

    Args:
        query: a question or some words.
        language: the one it is in.
        searched: those of the documents.
    """
    every = [one for word in search_words(query, language) for one in list_word_forms(word, searched)]
    return " OR ".join(map(quote_fts_word, dict.fromkeys(every)))


def list_word_forms(word: str, searched: Sequence[str]) -> list[str]:
    """The different forms that `word` has in the index, for documents in the languages `searched`."""
    forms = (root_in(one, word) if _is_stemmed(one) else word for one in reversed(searched))
    by_token = {_stem_token(one): one for one in forms}
    return list(reversed(by_token.values())) or [word]


def quote_fts_word(word: str) -> str:
    """Return `word` as an FTS5 string, whatever characters it contains."""
    return '"' + word.replace('"', '""').replace("\0", "") + '"'


@lru_cache(maxsize=10_000)
def _stem_token(word: str) -> str:
    """Return roughly the token that the index makes of `word`: forms with one token would be counted twice."""
    return str(_load_porter_stemmer().stemWord(word))


@cache
def _load_porter_stemmer() -> Any:
    import snowballstemmer  # loads the rules of forty languages

    return snowballstemmer.stemmer("porter")


LEAST_LETTERS: Final = 4
"""A heading is named after a word if it shares its beginning, all but three letters of it and at least this many."""
NAMES: Final = " OR ".join(
    f"instr(substr(document.text, start + 1, stop - start), ' {dash} ') > 0" for dash in ("-", "\u2013", "\u2014")
)
"""A passage whose line says what its page is for: `git-stash - Stash the changes ...`."""
OPENED: Final = 3
"""One in this many passages may be an opening that was not found by its own words."""
MUCH: Final = 3
"""A readme with this many found passages is the target of the search, whether it is named or not."""
BEGINNING: Final = 3
"""Number of first passages of a document among which one says something; others are signs."""


def with_openings(database: sqlite3.Connection, hits: list[Hit], words: Collection[str], limit: int) -> list[Hit]:
    """`hits` with the openings of the first ones' sections and pages, each behind the passage that led to it.

    At most `limit` passages, best first; what an opening takes the place of is what was found last: of its document, if
    that has as many as one may, else of all. So two documents do not fill all places. An opening counts as much as what
    led to it.
    """
    known = {hit.digest for hit in hits}
    opened: list[tuple[int, Hit]] = []
    for opens in (_find_section_opening, _find_page_opening):
        for place, hit in enumerate(hits[: limit // 2]):
            opening = opens(database, hit, words)
            if opening is not None and opening.digest not in known and len(opened) < limit // OPENED:
                known.add(opening.digest)
                opened.append((place, opening))
    kept = dict(enumerate(hits[:limit]))
    for _, opening in opened:
        own = [place for place, hit in kept.items() if hit.document == opening.document]
        if len(kept) + len(opened) > limit:
            del kept[own[-1] if len(own) >= PER_DOCUMENT else max(kept)]
    found: list[Hit] = []
    for place in range(limit):
        found += [kept[place]] if place in kept else []
        found += [opening for origin, opening in opened if origin == place]
    return found[:limit]


def with_beginnings(database: sqlite3.Connection, hits: list[Hit], words: Collection[str], limit: int) -> list[Hit]:
    """The first `limit` of `hits`, among which each readme that is searched for says what its subject is.

    It does so where it begins, in words that are seldom the question's. That passage takes the place of the last one
    of the same readme: no other is left out for it, and where one passage was found, that one is the answer.
    """
    found = hits[:limit]
    for document in dict.fromkeys(hit.document for hit in found):
        own = [place for place, hit in enumerate(found) if hit.document == document]
        if len(own) >= MUCH or (len(own) > 1 and _is_named(database, document, words)):
            beginning = _find_document_opening(database, found[own[-1]])
            if beginning is not None and beginning.digest not in {hit.digest for hit in found}:
                found[own[-1]] = beginning
    return found


def _is_named(database: sqlite3.Connection, document: int, words: Collection[str]) -> bool:
    """Return whether a search has all of a document's title: `fastapi` means no other title that begins with it."""
    ((title,),) = database.execute("SELECT title FROM document WHERE id = ?", (document,))
    named = search_words(title)
    return bool(named) and set(named) <= set(words)


def _find_document_opening(database: sqlite3.Connection, hit: Hit) -> Hit | None:
    """The first passage of the document of `hit` that is more than a line without a sentence."""
    rows = database.execute(
        "SELECT digest, start, stop, heading, page, anchor, paragraph, last_page, head FROM passage"
        " WHERE document = ? ORDER BY start LIMIT ?",
        (hit.document, BEGINNING),
    )
    first = (Hit(hit.score, hit.document, digest, Passage(*rest)) for digest, *rest in rows.fetchall())
    return next((one for one in first if not is_line(database, one)), None)


def _find_section_opening(database: sqlite3.Connection, hit: Hit, words: Collection[str]) -> Hit | None:
    """The first passage below the heading of `hit`, if that or the page is called after one of `words`."""
    page, _, _ = hit.passage.heading.partition(" > ")
    section = hit.passage.heading.rpartition(" > ")[2]
    if not _is_called(f"{section} {page}", words):
        return None
    return _query_first_hit(database, hit, "heading = ?", hit.passage.heading)


def _find_page_opening(database: sqlite3.Connection, hit: Hit, words: Collection[str]) -> Hit | None:
    """The first passage of the page of `hit`, if that is called after one of `words`."""
    if not _is_called(hit.passage.heading.partition(" > ")[0], words):
        return None
    return _query_first_hit(database, hit, f"heading != '' AND (stop - start >= ? OR {NAMES})", STUB_CHARACTERS)


def _query_first_hit(database: sqlite3.Connection, hit: Hit, where: str, value: str | int) -> Hit | None:
    rows = database.execute(
        "SELECT digest, start, stop, heading, page, anchor, paragraph, last_page, head"
        " FROM passage JOIN document ON document.id = passage.document"
        f" WHERE document = ? AND {where} ORDER BY start LIMIT 1",
        (hit.document, value),
    )
    return next((Hit(hit.score, hit.document, digest, Passage(*rest)) for digest, *rest in rows), None)


def _is_called(heading: str, words: Collection[str]) -> bool:
    lower = heading.lower()
    return any(len(word) >= LEAST_LETTERS and word[: max(LEAST_LETTERS, len(word) - 3)] in lower for word in words)


BM25: Final = "bm25(1.5, 2.0, 1.0)"
"""Weights of title, heading and body: the words of a heading speak for all that is under it."""
PER_DOCUMENT: Final = 3
"""Passages of one document that come before the fourth-best passages of any are looked at."""
OUTDONE: Final = 0.5
"""Share of the score of a further passage of a document; a hit of another one with less gives its place to that."""
FLOOR: Final = 0.25
"""Share of the best hit's score; a hit with less shares only common words with the query. Of the passages that experts
cited over 54 questions the first 20 hits lose one in a hundred by it, and of the others one in five."""
POOL: Final = 6
"""Multiple of the wanted passages that is ranked, to have others when one document fills the front."""
MOST_LANGUAGES: Final = 4
"""Languages of a collection in whose forms a word is searched for, the commonest; and that of the question."""
LEAST_SHARE: Final = 0.02
"""Share of the documents. In a language with fewer, a word is searched only if the question is in it: one document that
was taken for another language must not double the cost of every search."""


class Text(NamedTuple):
    """An indexed document."""

    key: str
    text_hash: str
    title: str
    media_type: str
    text: str
    authors: tuple[str, ...] = ()
    year: int = 0
    """0: not known."""
    work: str = ""
    """The `Work` that it is the text of, as JSON."""
    indexed_at: float = 0.0
    """Since when the index has this text of it, in seconds since the epoch."""
    gaps: str = ""
    doi: str = ""
    file_hash: str = ""
    """SHA-256 of the bytes of its file; empty in an index of before it was kept."""
    places: bytes = b""
    """Output of `pack_places` for its places."""


def best_passages(database: sqlite3.Connection, query: str, limit: int, *, readmes: bool = False) -> list[Hit]:
    """The best passages, best first; none if the query has no word or no passage has one of its words.

    Of `readmes` each is a whole on a thing of its own, which its title names; other documents are read by sections.
    """
    spoken = count_languages(database)
    language = language_of(query, tuple(spoken))
    match = build_fts_expression(query, language, select_search_languages(spoken, language))
    if not match:
        return []
    found = _query_ranked_hits(database, match, limit * POOL)
    if len({hit.document for hit in found}) * PER_DOCUMENT < limit and len(found) == limit * POOL:
        found = _query_ranked_hits(database, match, limit * POOL * POOL)  # a few long documents fill the first pool
    found = [hit for hit in found if hit.score >= FLOOR * found[0].score]
    wanted = search_words(query, language)
    if readmes:
        return with_beginnings(database, spread_over_documents(found, limit), wanted, limit)
    return with_openings(database, spread_over_documents(stubs_last(database, found), limit), wanted, limit)


def _query_ranked_hits(database: sqlite3.Connection, match: str, most: int) -> list[Hit]:
    rows = database.execute(
        "SELECT -found.rank, document, digest, start, stop, heading, page, anchor, paragraph, last_page, head"
        " FROM (SELECT rowid AS id, rank FROM words"
        " WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?) AS found"
        " JOIN passage ON passage.id = found.id"
        " ORDER BY found.rank, passage.id",
        (match, BM25, most),
    )
    return [Hit(score, document, digest, Passage(*rest)) for score, document, digest, *rest in rows]


def count_languages(database: sqlite3.Connection) -> dict[str, int]:
    """Count documents by language, the commonest first; those without a text are in none."""
    rows = database.execute(
        "SELECT language, count(*) AS documents FROM document WHERE language != ''"
        " GROUP BY language ORDER BY documents DESC, language"
    )
    return dict(rows.fetchall())


def select_search_languages(spoken: Mapping[str, int], language: str = "") -> tuple[str, ...]:
    """The languages in whose forms to search for the words of a question in `language`, that one first."""
    least = LEAST_SHARE * sum(spoken.values())
    common = [one for one, documents in spoken.items() if documents >= least][:MOST_LANGUAGES]
    return tuple(dict.fromkeys([*([language] if language in spoken else []), *common])) or (ENGLISH,)


def spread_over_documents(hits: Iterable[Hit], limit: int) -> list[Hit]:
    """The first `limit` hits, no passage twice.

    Of one document there are more than three only where others run out, or have less than half of the score.
    """
    front: list[Hit] = []
    back: list[Hit] = []
    taken: Counter[int] = Counter()
    seen: set[bytes] = set()
    for hit in hits:
        if hit.digest in seen:
            continue
        seen.add(hit.digest)
        taken[hit.document] += 1
        (front if taken[hit.document] <= PER_DOCUMENT else back).append(hit)
    chosen = (front + back)[:limit]
    for hit in back[max(0, limit - len(front)) :]:
        last = min(range(len(chosen)), key=lambda place: chosen[place].score, default=None)
        if last is None or chosen[last].score >= OUTDONE * hit.score:
            break
        chosen[last] = hit
    return sorted(chosen, key=lambda hit: hit.score, reverse=True)


def load_indexed_texts(database: sqlite3.Connection, documents: Iterable[int]) -> dict[int, Text]:
    """Indexed documents by their number."""
    numbers = tuple(set(documents))
    rows = database.execute(
        "SELECT id, key, text_hash, title, media_type, text, authors, year, work, indexed_at, gaps, doi, file_hash,"
        " places FROM document"
        f" WHERE id IN ({', '.join('?' * len(numbers))})",
        numbers,
    )
    return {
        number: Text(key, text_hash, title, media_type, text, tuple(json.loads(authors)), *rest)
        for number, key, text_hash, title, media_type, text, authors, *rest in rows
    }


def count_word_frequencies(database: sqlite3.Connection, words: Sequence[str]) -> tuple[int, list[int]]:
    """Count the passages, and for each word those that have it, in any of its forms, in their text.

    Titles and headings do not count: one title would make its words look common in every passage below it.
    """
    (total,) = database.execute("SELECT count(*) FROM passage").fetchone()
    every = select_search_languages(count_languages(database))
    counts = []
    for word in words:
        any_of = " OR ".join(map(quote_fts_word, list_word_forms(word, every)))
        found = database.execute("SELECT count(*) FROM words WHERE words MATCH ?", (f"body : ({any_of})",))
        counts.append(int(found.fetchone()[0]))
    return int(total), counts
