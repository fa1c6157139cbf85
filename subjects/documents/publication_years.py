"""Finds the year in which a document appeared, as its first page says it."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

_YEAR: Final = r"(?P<year>(?:1[89]|20)\d\d)(?![\d.])"
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_YEARS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), weight)
    for pattern, weight in (
        # How a journal is cited on its page: `155 (2014) 2461`, `2014, 14:70`, `(2013), 63, 4218`.
        (rf"\b\d{{1,4}}(?:[ :,(]\d{{1,3}}\)?)? ?\({_YEAR}\)[ ,:]{{1,2}}[A-Z]?\d", 6),
        (rf"\b{_YEAR}[,;:] ?\d{{1,4}} ?(?:\(\w{{1,6}}\))?[:,] ?[a-z]?\d", 6),
        (rf"\({_YEAR}\)[,.]? ?(?:vol\.? ?)?\d{{1,4}}[:,(]", 6),
        (rf"\bvolume {_YEAR}, (?:article|issue)", 6),
        (rf"\b\d{{1,4}} ?\(\d{{1,3}}\): ?\d{{1,5}} ?[-\u2013] ?\d{{1,5}}, {_YEAR}", 6),
        (rf"\bto cite this (?:article|version|paper)\b[^()]{{0,300}}\({_YEAR}\)", 7),
        (rf"\b(?:citation|cite (?:this|as))\b[^()]{{0,300}}\(?{_YEAR}\)?", 6),
        (rf"\bvol(?:ume)?\b\.? ?\w{{1,6}}\b.{{0,60}}\b{_YEAR}", 5),
        (rf"\bpublished(?: online)?\b(?: on)?\W{{0,3}}(?:\w{{1,10}}[ ,./-]{{1,2}}){{0,3}}{_YEAR}", 5),
        (rf"(?:©|\(c\)|\bcopyright\b)\W{{0,3}}(?:[^\W\d][\w.()]{{0,20}} ?|& ?){{0,8}},? ?{_YEAR}", 4),
        (rf"(?:^|[^\w.]) ?c ?{_YEAR} [^\W\d]", 4),
        (rf"\b{_MONTH} {_YEAR},? vol(?:ume)?\b", 6),
        (rf"\b\d{{1,5}}[-\u2013]\d{{1,5}} \({_YEAR}\)", 6),
        (rf"\bto appear in\b.{{0,60}}\b{_YEAR}", 3),
        (rf"\b{_YEAR}\W{{1,3}}the author", 4),
        (rf"\barxiv:.{{0,40}}\] .{{0,12}}{_YEAR}", 4),
        (rf"\b(?:proceedings|conference|symposium|workshop|meeting)\b.{{0,120}}\b{_YEAR}", 3),
        (rf"\b(?:accepted|revised)\b(?: for publication)?\W{{0,3}}(?:\w{{1,10}}[ ,./-]{{1,2}}){{0,3}}{_YEAR}", 2),
        (rf"^.{{0,80}}[\u00b7\u2022,] {_MONTH} {_YEAR}\W{{0,3}}$", 2),
        (rf"^\W{{0,3}}(?:\d{{1,2}} )?{_MONTH}(?: \d{{1,2}}(?:[-\u2013]\d{{1,2}})?)?,? {_YEAR}\W{{0,3}}$", 2),
    )
)
"""Patterns of years with their weight: how a page says it is cited counts more than who owns it since when, and that
more than when a manuscript came."""
YEAR_CHARACTERS: Final = 600
"""Longer blocks are text, in which years are those of other works; only their beginning is looked at."""


def find_year(texts: Iterable[str], newest: int = 0) -> int:
    """The year in which the texts of a first page say that the document appeared; 0: not for sure."""
    found = Counter[int]()
    sure = 0
    for text in texts:
        for pattern, weight in _YEARS:
            for match in pattern.finditer(" ".join(text[:YEAR_CHARACTERS].split())):
                year = int(match["year"])
                if newest and year > newest:
                    continue
                if weight > sure:
                    found, sure = Counter(), weight
                if weight == sure:
                    found[year] += 1
    return max(found, key=lambda year: (found[year], year)) if found else 0
