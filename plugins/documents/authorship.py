"""The authors and dates of documents, as far as its front matter, its metadata or its file name says so."""

import re
from typing import Final

MOST_AUTHORS: Final = 50
AUTHOR_CHARACTERS: Final = 120
_YEAR: Final = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d{1,3}(?!\d))")
_BETWEEN: Final = re.compile(r"\s*;\s*|\s+and\s+|\s+&\s+|\n")
_NAMED_FILE: Final = re.compile(
    r"(?P<author>[A-Z][^\W\d_]+(?:[-'][A-Z]?[^\W\d_]+)*)(?:[ _-]+(?:et[ _]al\.?|and[ _][A-Z][^\W\d_]+))?[ _,-]+"
    r"\(?(?P<year>(?:19|20)\d\d)\)?(?:[ _,.-]|$)"
)
_DATED_FILE: Final = re.compile(r"(?P<year>(?:19|20)\d\d)(?:[-_.](?:0[1-9]|1[0-2])(?:[-_.][0-3]\d)?)?(?:[ _-]|$)")


def parse_authors(said: str) -> tuple[str, ...]:
    """The names in a line of front matter or metadata; none if it names a program or an account."""
    plain = said.strip().strip("[]")
    parts = _BETWEEN.split(plain)
    listed = plain.split(",")
    if len(parts) == 1 and (len(listed) > 2 or all(" " in one.strip() for one in listed)):
        parts = listed  # a comma may also part a family name from a given one
    names = (" ".join(part.strip(" ,\"'").split())[:AUTHOR_CHARACTERS] for part in parts)
    kept = dict.fromkeys(name for name in names if " " in name and not re.search(r"[@<>:\\/]|\d", name))
    return tuple(kept)[:MOST_AUTHORS]


def parse_year(said: str) -> int:
    """The first year that stands in a date; 0 if there is none."""
    found = _YEAR.search(said)
    return int(found[0]) if found else 0


def parse_file_name(stem: str) -> tuple[tuple[str, ...], int]:
    """Author and year of a name such as `Smith et al. 2020 - Oil` or `2024-05-17 Minutes`, as far as they are there."""
    if found := _NAMED_FILE.match(stem):
        return (found["author"],), int(found["year"])
    dated = _DATED_FILE.match(stem)
    return (), int(dated["year"]) if dated else 0
