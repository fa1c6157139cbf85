"""The authors and dates of documents, as far as its front matter, its metadata or its file name says so."""

import re
from collections.abc import Sequence
from typing import Final

MOST_AUTHORS: Final = 50
BYLINE_CHARACTERS: Final = 1_500
"""A byline of 50 authors has that many."""
AUTHOR_CHARACTERS: Final = 120
_YEAR: Final = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d{1,3}(?!\d))")
_JOINED: Final = re.compile(r"^(?:by|and|und|et|&)\b\s*|\s+(?:and|und|et|&)$", re.IGNORECASE)
_GROUP: Final = re.compile(
    r"(?:on behalf of|for) the\b|et al\b|the [A-Z].{0,80}\b(?:group|team|consortium|collaboration|investigators)\b",
    re.IGNORECASE,
)
"""A group of authors behind the names of its members."""
_RAISED: Final = re.compile(r"[^\W\d_]{2},?[¹²³⁰⁴-⁹ᵃ-ᶻ]")
MARKED: Final = 3
"""Number of words with affiliation marks from which a line is no title."""
_INITIALS: Final = re.compile(r"\b[A-Z]\. [A-Z][^\W\d_]+,? (?:and )?[A-Z][^\W\d_]+ [A-Z]\. [A-Z]")
"""Two names with initials."""
_INITIAL: Final = re.compile(r"\b[^\W\d_]\.")
MOST_WORDS: Final = 3
"""Words of a name without initials and particles; of more it is not known whether they are the names of two people."""
_LISTED: Final = re.compile(r"\s*[,;\n·•|/]\s*|,?\s+(?:and|und|et|y|e|&)\s+|\s&\s")
_BETWEEN: Final = re.compile(r"\s*;\s*|\s+and\s+|\s+&\s+|\n")
_COMMON: Final = re.compile(
    r"\b(?:universit\w*|universidad\w*|università|institut\w*|dep(?:artment|artamento|t)\b"
    r"|college|school|facult\w*|laborator\w*"
    r"|cent(?:er|re|rum)|hospital|clinic\w*|research|inc|ltd|llc|gmbh|corp\w*|company|foundation|academy|ministry|division"
    r"|group|team|press|journal|society|association|international|national|science\w*|technolog\w*|engineering|computer"
    r"|systems?|data|learning|analysis|using|from|with|for|the|of|in|on|to|an|by|street|road|avenue|usa|uk|china|germany"
    r"|abstract|introduction|keywords|contents|open|access|article|review|version|edition|volume|received|accepted|correspondence|email|and)\b",
    re.IGNORECASE,
)
"""Words of addresses, titles and headings, which are in no name of a person."""
_NAME: Final = re.compile(
    r"(?:(?:[^\W\d_]\.[ -]?)+|[^\W\d_][^\W\d_.'\u2019-]*\.?(?:[-'\u2019][^\W\d_]+\.?)*)"
    r"(?: (?:[^\W\d_]\.(?:[ -]?[^\W\d_]\.)*|[^\W\d_][^\W\d_'\u2019-]*(?:[-'\u2019][^\W\d_]+)*\.?)){1,4}"
)
_PARTICLES: Final = re.compile(r"d[aei]s?|d[eo][lnrs]|du|della|el|l[ae]|te[rn]|van|vander|von|zu|[yei]")
_MARKS: Final = re.compile(
    r"\^?\([^()]{0,12}\)|[\d*†‡§¶#\u2217⇑✉\u204e^]+|[⁰¹²³⁴-⁹ᵃ-ᵿ\u2071\u207f\u02b0-\u02b8\u1d2c-\u1d6a]+"
    r"|(?<=[\s,])[a-f](?=,|$)|\S+@\S+"
)
"""Marks of affiliations and notes behind names, and addresses of mail."""
_TITLES: Final = re.compile(
    r"(?:,\s*)?\b(?:Ph\.?\s?D|M\.?\s?D|MSc|M\.?\s?S|B\.?\s?Sc|MPH|FRCP\w*|Dr|Prof(?:essor)?|Jr|Sr"
    r"|(?:Senior |Student )?(?:Member|Fellow), (?:IEEE|ACM))\b\.?"
)
_NAMED_FILE: Final = re.compile(
    r"(?P<author>[A-Z][^\W\d_]+(?:[-'][A-Z]?[^\W\d_]+)*)(?:[ _-]+(?:et[ _]al\.?|and[ _][A-Z][^\W\d_]+))?[ _,-]+"
    r"\(?(?P<year>(?:19|20)\d\d)\)?(?:[ _,.-]|$)"
)
_DATED_FILE: Final = re.compile(r"(?P<year>(?:19|20)\d\d)(?:[-_.](?:0[1-9]|1[0-2])(?:[-_.][0-3]\d)?)?(?:[ _-]|$)")


def parse_authors(said: str) -> tuple[str, ...]:
    """The names in a line of front matter or metadata; none if it names a program or an account."""
    parts: list[str] = []
    split = [part.strip(" ,") for part in _BETWEEN.split(said.strip().strip("[]"))]
    for part in split:
        listed = part.split(",")
        whole = all(" " in one.strip() for one in listed) or (len(split) == 1 and len(listed) > 2)
        parts += listed if whole else [part]  # a comma may also part a family name from a given one
    names = (" ".join(part.strip(" ,\"'").split())[:AUTHOR_CHARACTERS] for part in parts)
    kept = dict.fromkeys(name for name in names if " " in name and not re.search(r"[@<>:\\/]|\d", name))
    return tuple(kept)[:MOST_AUTHORS]


def parse_printed_authors(blocks: Sequence[str]) -> tuple[str, ...]:
    """The names of people in what is below a title, one block after another; none unless all that it has are such.

    Marks of affiliations, titles and addresses of mail are left out. The first block has to be of names. Names without
    anything between them, as of two columns, are not separated: then there are none.
    """
    names: dict[str, None] = {}
    for text in blocks:
        found = _parse_printed_names(text)
        if not found:
            break
        names.update(dict.fromkeys(found))
    if any(map(_may_be_two_names, names)):
        return ()
    return tuple(names)[:MOST_AUTHORS]


def _may_be_two_names(name: str) -> bool:
    words = name.split()
    return len(words) > MOST_WORDS and "." not in name and not any(map(_PARTICLES.fullmatch, words))


def is_byline(text: str) -> bool:
    """Whether most of a text are names of people, with commas, initials or marks of affiliations among them."""
    parts = _split_names(text)
    if len(_RAISED.findall(text)) >= MARKED or _INITIALS.search(text):
        return True
    marked = len(parts) > 1 or bool(_RAISED.search(text) or _INITIAL.search(text))
    return bool(parts) and marked and sum(map(is_name, parts)) > 0.6 * len(parts)


def _parse_printed_names(text: str) -> tuple[str, ...]:
    if len(text) > BYLINE_CHARACTERS:
        return ()
    names = _split_names(text)
    if not names or not all(map(is_name, names)):
        return ()
    return tuple(name[:AUTHOR_CHARACTERS] for name in names)


def _split_names(text: str) -> list[str]:
    plain = _TITLES.sub("", _MARKS.sub(",", text[:BYLINE_CHARACTERS]))
    parts = (_JOINED.sub("", " ".join(part.split())).strip(" .,:") for part in _LISTED.split(plain))
    return [part for part in parts if part and not _GROUP.match(part)]


def is_name(name: str) -> bool:
    """Whether two to five words are written as names are: with capitals, but for particles, and no common word.

    A line in capitals alone may be a heading, so there has to be an initial.
    """
    if not _NAME.fullmatch(name) or _COMMON.search(name):
        return False
    words = name.split()
    capitals = [word for word in words if word[0].isupper() or not word[0].islower()]
    if len(capitals) < 2 or not all(_PARTICLES.fullmatch(word) for word in words if word not in capitals):
        return False
    return not name.isupper() or any(word.endswith(".") for word in words)


def parse_year(said: str) -> int:
    """The first year that is in a date; 0 if there is none."""
    found = _YEAR.search(said)
    return int(found[0]) if found else 0


def parse_file_name(stem: str) -> tuple[tuple[str, ...], int]:
    """Author and year of a name such as `Smith et al. 2020 - Oil` or `2024-05-17 Minutes`, as far as they are there."""
    if found := _NAMED_FILE.match(stem):
        return (found["author"],), int(found["year"])
    dated = _DATED_FILE.match(stem)
    return (), int(dated["year"]) if dated else 0
