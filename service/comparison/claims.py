"""Which claims of two reports are the same, which were changed, added or removed.

Claims with the same words are paired first, those under the same heading before others. Of those that are left, the
pairs that are most alike are taken one after the other, as long as they share at least half of their words: the measure
is `difflib`'s ratio over words, twice the words that stand in both in the same order by all words of both. What is left
then was added or removed. Reports with more than `MOST_ALIKE` claims that are left on a side are not searched for
alike ones: the pairs would be too many to compare while someone waits.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from elcano.graphs.report.report import Claim, ReportDraft
from elcano.service.comparison.differences import ClaimBrief, ClaimPair

KEY_FINDINGS: Final = "Key findings"
"""The heading of what a report says first."""
ALIKE: Final = 0.5
"""Minimum similarity of two claims that count as one changed claim."""
MOST_ALIKE: Final = 300

_WORD: Final = re.compile(r"\w+")
_BRACKET: Final = re.compile(r"[ \t]*\[([^\[\]\n]{1,200})\]")


class _Pair(NamedTuple):
    """Two claims that belong together."""

    ratio: float
    in_b: int
    in_a: int


class _Worded(NamedTuple):
    """A claim at its place, with its words."""

    place: int
    claim: ClaimBrief
    words: tuple[str, ...]


def claims_of(draft: ReportDraft) -> list[ClaimBrief]:
    """All claims of a draft, in their order, each with its heading."""
    parts = [
        ("Introduction", draft.introduction),
        (KEY_FINDINGS, draft.key_findings),
        *((one.heading, one.claims) for one in draft.sections),
        ("What is disputed", draft.disputed),
        ("Strength of the evidence", draft.strength),
        ("Conclusion", draft.conclusion),
    ]
    return [_build_claim_brief(heading, claim) for heading, claims in parts for claim in claims]


def compare_claims(a: Sequence[ClaimBrief], b: Sequence[ClaimBrief]) -> tuple[tuple[ClaimPair, ...], int]:
    """Claims that are not the same, in the order of `b` and then of `a`; and how many are the same."""
    left_a, left_b = (
        [_Worded(place, claim, _split_claim_words(claim)) for place, claim in enumerate(side)] for side in (a, b)
    )
    pairs: dict[int, _Pair] = {}
    for here in (True, False):
        pairs |= _select_disjoint_pairs(_same_words(left_a, left_b, here=here))
        left_a, left_b = _drop_paired_claims(left_a, left_b, pairs)
    if max(len(left_a), len(left_b)) <= MOST_ALIKE:
        pairs |= _select_disjoint_pairs(
            sorted(_find_similar_claims(left_a, left_b), key=lambda pair: (-pair.ratio, pair.in_b, pair.in_a))
        )
    found = [_classify_claim(a, b, place, pairs.get(place)) for place in range(len(b))]
    in_a = {pair.in_a for pair in pairs.values()}
    gone = [
        ClaimPair(how="removed", a=claim, b=None, similarity=0.0) for place, claim in enumerate(a) if place not in in_a
    ]
    return (*filter(None, found), *gone), found.count(None)


def _classify_claim(
    a: Sequence[ClaimBrief], b: Sequence[ClaimBrief], place: int, pair: _Pair | None
) -> ClaimPair | None:
    """Classify the change of a claim of `b`; None if it is the same in `a`."""
    if pair is None:
        return ClaimPair(how="added", a=None, b=b[place], similarity=0.0)
    if a[pair.in_a] == b[place]:
        return None
    return ClaimPair(how="changed", a=a[pair.in_a], b=b[place], similarity=round(pair.ratio, 3))


def _build_claim_brief(heading: str, claim: Claim) -> ClaimBrief:
    cited = tuple(sorted({citation.evidence for citation in claim.citations}))
    return ClaimBrief(section=heading, text=_strip_citation_marks(claim), evidence=cited)


def _strip_citation_marks(claim: Claim) -> str:
    """Return the text of a claim without its marks: those belong to one draft, and evidence is compared separately."""
    marks = {citation.mark.casefold() for citation in claim.citations if citation.mark}

    def gone(found: re.Match[str]) -> str:
        named = set(_WORD.findall(found[1].casefold())) - {"from", "and"}
        return "" if named and named <= marks else found[0]

    return _BRACKET.sub(gone, claim.text) if marks else claim.text


def _split_claim_words(claim: ClaimBrief) -> tuple[str, ...]:
    return tuple(_WORD.findall(claim.text.casefold()))


def _select_disjoint_pairs(pairs: Iterator[_Pair] | Sequence[_Pair]) -> dict[int, _Pair]:
    """Map each place in `b` to its pair; of pairs that share a claim, the first one is kept."""
    taken: dict[int, _Pair] = {}
    in_a = set[int]()
    for pair in pairs:
        if pair.in_b not in taken and pair.in_a not in in_a:
            taken[pair.in_b] = pair
            in_a.add(pair.in_a)
    return taken


def _drop_paired_claims(
    a: Sequence[_Worded], b: Sequence[_Worded], pairs: dict[int, _Pair]
) -> tuple[list[_Worded], list[_Worded]]:
    in_a = {pair.in_a for pair in pairs.values()}
    return [one for one in a if one.place not in in_a], [one for one in b if one.place not in pairs]


def _same_words(a: Sequence[_Worded], b: Sequence[_Worded], *, here: bool) -> Iterator[_Pair]:
    """Claims with the same words; with `here` under the same heading."""
    by_words: dict[tuple[object, ...], list[int]] = {}
    for one in a:
        by_words.setdefault((one.words, here and one.claim.section), []).append(one.place)
    for other in b:
        alike = by_words.get((other.words, here and other.claim.section))
        if alike:
            yield _Pair(1.0, other.place, alike.pop(0))


def _find_similar_claims(a: Sequence[_Worded], b: Sequence[_Worded]) -> Iterator[_Pair]:
    """Claims that are alike enough."""
    counts = [Counter(one.words) for one in a]
    for other in b:
        own = Counter(other.words)
        matcher = SequenceMatcher(None, (), other.words, autojunk=False)
        for one, count in zip(a, counts, strict=True):
            both = len(one.words) + len(other.words)
            if both and 2 * (own & count).total() / both >= ALIKE:  # in any order; in the same one it is no more
                matcher.set_seq1(one.words)
                if (ratio := matcher.ratio()) >= ALIKE:
                    yield _Pair(ratio, other.place, one.place)
