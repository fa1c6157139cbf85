"""The main part of a page by its own structure: where paragraphs gather, there the text is.

The idea is that of reading modes of browsers: paragraphs give points to the elements around them, less the farther
these are, and links take points away. What the winner holds is the text, with those of its neighbours that look like
it, and without what is named as something else or is made of links.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final

from elcano.subjects.documents.html_parts import Part, Scope

LEAST_CHARACTERS: Final = 25
"""Length of a paragraph that counts; shorter ones are labels and bylines."""
SHORT_CHARACTERS: Final = 500
"""Length of main text below which there may be more to read."""
LEVELS: Final = 5
"""Number of elements around a paragraph that get points for it."""
_UNLIKELY: Final = re.compile(
    r"-ad-|ai2html|banner|breadcrumb|combx|comment|community|cookie|cover-wrap|disqus|extra|footer|gdpr|header|legends|menu"
    r"|\bnav|navbar|newsletter|related|remark|replies|rss|share|shoutbox|sidebar|skyscraper|social|sponsor|supplemental"
    r"|ad-break|agegate|pagination|pager|popup|promo|recommend|subscri|toolbar|yom-remote",
    re.IGNORECASE,
)
_LIKELY: Final = re.compile(
    r"\band\b|article|body|column|content|main|mathjax|shadow|story|entry|\bpost", re.IGNORECASE
)
_POSITIVE: Final = re.compile(
    r"article|body|content|entry|hentry|h-entry|main|page|pagination|post|text|blog|story", re.IGNORECASE
)
_NEGATIVE: Final = re.compile(
    r"-ad-|hidden|banner|combx|comment|com-|contact|footer|gdpr|masthead|media|meta|outbrain|promo|related|scroll|share"
    r"|shoutbox|sidebar|skyscraper|sponsor|shopping|tags|widget",
    re.IGNORECASE,
)
_UNLIKELY_TAGS: Final = frozenset({"nav", "footer", "aside", "dialog"})
_UNLIKELY_ROLES: Final = re.compile(
    r"\b(?:menu|menubar|complementary|navigation|alert|alertdialog|dialog|search|contentinfo)$"
)
_POINTS: Final = {
    "div": 5,
    **dict.fromkeys(("pre", "td", "blockquote"), 3),
    **dict.fromkeys(("address", "ol", "ul", "dl", "dd", "dt", "li", "form"), -3),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "th"), -5),
}
_TEXT_TAGS: Final = frozenset({"p", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "figcaption"})
_PRUNED_TAGS: Final = frozenset({"div", "section", "ul", "ol", "table", "form", "fieldset", "dl", "header"})
_COMMA: Final = re.compile("[,\u060c\ufe50\ufe10\ufe11\u2e41\u2e34\u2e32\uff0c\u3001]")
NEAR: Final = 0.75
"""Share of the winner's points from which on another element is as good."""
LEAST_RIVALS: Final = 3
"""Number of such elements that make what holds them all the better choice."""
MOST_RIVALS: Final = 50
"""Number of them that are looked at: a page can have any number, in any depth."""
WEIGHT: Final = 25
"""Points for an element whose name says what it is."""


@dataclass(slots=True)
class _Element:
    """Facts about a block element."""

    scope: Scope
    above: "_Element | None"
    unlikely: bool
    weight: int
    score: float = 0.0
    scored: bool = False
    length: int = 0
    linked: int = 0
    commas: int = 0
    paragraphs: int = 0
    items: int = 0
    children: "list[_Element]" = field(default_factory=list)

    @property
    def link_density(self) -> float:
        return self.linked / self.length if self.length else 0.0


class MainContent:
    """The choice of a page's main part."""

    def __init__(self, parts: Sequence[Part], *, strictly: bool = True) -> None:
        self._parts = parts
        self._strictly = strictly
        self._elements: dict[int, _Element] = {}
        self._order: list[_Element] = []
        self._homes = [self._find_element(part.scope) for part in parts]
        self._measure()

    def choose(self) -> set[int]:
        """The numbers of the parts that are main text; empty if there is nothing like it."""
        self._score()
        scored = [one for one in self._order if one.scored]
        if not scored:
            return set()
        top = self._climb(max(scored, key=lambda one: one.score))
        chosen = {id(one) for one in self._find_neighbours(top)}
        return self._collect(chosen, top)

    def _find_element(self, scope: Scope | None) -> _Element | None:
        chain: list[Scope] = []
        at = scope
        while at is not None and id(at) not in self._elements:
            chain.append(at)
            at = at.above
        above = self._elements[id(at)] if at is not None else None
        for one in reversed(chain):
            element = _Element(one, above, _is_unlikely(one, above, strictly=self._strictly), _weigh(one))
            if above is not None:
                above.children.append(element)
            self._elements[id(one)] = element
            self._order.append(element)
            above = element
        return above

    def _measure(self) -> None:
        for part, home in zip(self._parts, self._homes, strict=True):
            if home is None or home.unlikely:
                continue
            length = len(part.bare)
            home.length += length
            home.linked += min(part.linked, length)
            home.commas += len(_COMMA.findall(part.bare))
            home.paragraphs += home.scope.tag == "p"
            home.items += bool(part.mark)
        for one in reversed(self._order):
            if (above := one.above) is not None and not one.unlikely:
                above.length += one.length
                above.linked += one.linked
                above.commas += one.commas
                above.paragraphs += one.paragraphs
                above.items += one.items

    def _score(self) -> None:
        for part, home in zip(self._parts, self._homes, strict=True):
            if home is None or home.unlikely or part.mark or len(part.bare) < LEAST_CHARACTERS:
                continue
            points = 1 + len(_COMMA.findall(part.bare)) + 1 + min(len(part.bare) // 100, 3)
            first = home.above if home.scope.tag in _TEXT_TAGS and home.above is not None else home
            for level, around in enumerate(islice(chain((first,), _list_around(first)), LEVELS)):
                if not around.scored:
                    around.scored = True
                    around.score += _POINTS.get(around.scope.tag, 0) + around.weight
                around.score += points / (1 if level == 0 else 2 if level == 1 else level * 3)
        for one in self._order:
            if one.scored:
                one.score *= 1 - one.link_density

    def _climb(self, top: _Element) -> _Element:
        """The element around the winner that is the better choice: it shares other good ones, or has more points."""
        top = self._find_shared(top)
        best = self._find_better(top)
        while best.above is not None and best.above.scope.tag != "body" and len(best.above.children) == 1:
            best = best.above
        return best

    def _find_shared(self, top: _Element) -> _Element:
        """The innermost element that holds the winner and three others that come near it; else the winner."""
        others = [one for one in self._order if one.scored and one is not top and one.score >= NEAR * top.score]
        if len(others) < LEAST_RIVALS:
            return top
        counts: Counter[int] = Counter()
        for other in others[:MOST_RIVALS]:
            counts.update(id(around) for around in _list_around(other))
        return next(
            (one for one in _list_around(top) if one.above is not None and counts[id(one)] >= LEAST_RIVALS), top
        )

    def _find_better(self, top: _Element) -> _Element:
        """The element around the winner that has more points, as long as points do not fall off on the way."""
        last = top.score
        for around in _list_around(top):
            if around.scope.tag == "body" or (around.scored and around.score < top.score / 3):
                break
            if around.scored and around.score > last:
                return around
            if around.scored:
                last = around.score
        return top

    def _find_neighbours(self, top: _Element) -> list[_Element]:
        chosen = [top]
        least = max(10.0, 0.2 * top.score)
        for one in top.above.children if top.above is not None else ():
            if one is top or one.unlikely:
                continue
            bonus = 0.2 * top.score if one.scope.node_class and one.scope.node_class == top.scope.node_class else 0.0
            if (one.scored and one.score + bonus >= least) or (
                one.scope.tag == "p"
                and (
                    (one.length > 80 and one.link_density < 0.25)
                    or (one.length and one.link_density == 0 and one.commas)
                )
            ):
                chosen.append(one)
        return chosen

    def _collect(self, chosen: set[int], top: _Element) -> set[int]:
        inside: dict[int, bool] = {}
        pruned: dict[int, bool] = {}
        for one in self._order:  # outer elements come before those in them
            around = one.above
            inside[id(one)] = id(one) in chosen or (around is not None and inside[id(around)])
            pruned[id(one)] = (around is not None and pruned[id(around)] and inside[id(around)]) or (
                inside[id(one)] and id(one) not in chosen and 2 * one.length < top.length and _is_pruned(one)
            )
        return {
            number
            for number, (part, home) in enumerate(zip(self._parts, self._homes, strict=True))
            if home is not None
            and not home.unlikely
            and not part.leads_on
            and (inside[id(home)] and not pruned[id(home)])
        }


def _list_around(element: _Element) -> Iterator[_Element]:
    """The elements around one, the innermost first."""
    around = element.above
    while around is not None:
        yield around
        around = around.above


def choose_main_content(parts: Sequence[Part]) -> set[int]:
    """The numbers of the parts that are main text; names of elements count only while enough is left."""
    chosen: set[int] = set()
    for strictly in (True, False):
        found = MainContent(parts, strictly=strictly).choose()
        if sum(len(parts[number].bare) for number in found) >= SHORT_CHARACTERS:
            return found
        chosen = max(chosen, found, key=len)
    return chosen


def _is_unlikely(scope: Scope, above: _Element | None, *, strictly: bool) -> bool:
    if above is not None and above.unlikely:
        return True
    if scope.tag in ("body", "html"):
        return False
    if scope.tag in _UNLIKELY_TAGS or _UNLIKELY_ROLES.search(scope.node_class):
        return True
    if not strictly:
        return False
    return _UNLIKELY.search(scope.node_class) is not None and _LIKELY.search(scope.node_class) is None


def _weigh(scope: Scope) -> int:
    names = scope.node_class
    if not names:
        return 0
    weight = WEIGHT if _POSITIVE.search(names) else 0
    return weight - (WEIGHT if _NEGATIVE.search(names) else 0)


def _is_pruned(one: _Element) -> bool:
    """Whether an element within the main part is something else: made of links, or named so."""
    if one.scope.tag not in _PRUNED_TAGS:
        return False
    if one.weight < 0:
        return True
    if one.commas >= 10:
        return False
    density = one.link_density
    if one.weight < WEIGHT:
        return (density > 0.2 and one.paragraphs < 3) or density > 0.5
    return density > 0.5
