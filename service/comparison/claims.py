"""Which claims of two reports are the same, which were changed, added or removed.

Claims with the same words are paired first, those under the same heading before others. Of those that are left, the
pairs that are most alike are taken one after the other, as long as they share at least half of their words: the measure
is `difflib`'s ratio over words, twice the words that stand in both in the same order by all words of both. What is left
then was added or removed. Reports with more than `MOST_ALIKE` claims that are left on a side are not searched for
alike ones: the pairs would be too many to compare while someone waits.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final, TypeAlias

from elcano.graphs.report.report import Claim, ReportDraft
from elcano.service.comparison.differences import ClaimBrief, ClaimPair

KEY_FINDINGS: Final = "Key findings"
"""The heading of what a report says first."""
ALIKE: Final = 0.5
"""Minimum similarity of two claims that count as one changed claim."""
MOST_ALIKE: Final = 300

_WORD: Final = re.compile(r"\w+")
_BRACKET: Final = re.compile(r"[ \t]*\[([^\[\]\n]{1,200})\]")


Words: TypeAlias = tuple[str, ...]
Match: TypeAlias = tuple[float, int, int]
"""Similarity of two claims, with their places in `b` and in `a`."""


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
    words_a, words_b = ([tuple(_WORD.findall(claim.text.casefold())) for claim in side] for side in (a, b))
    in_b, in_a = dict[int, tuple[int, float]](), set[int]()

    def pair(matches: Iterable[Match]) -> tuple[dict[int, Words], dict[int, Words]]:
        """Pair claims that have no pair yet, the first matches first; return what is left of `a` and of `b`."""
        for ratio, other, one in matches:
            if other not in in_b and one not in in_a:
                in_b[other] = one, ratio
                in_a.add(one)
        return (
            {place: words for place, words in enumerate(words_a) if place not in in_a},
            {place: words for place, words in enumerate(words_b) if place not in in_b},
        )

    left_a, left_b = pair(
        _match_keys(
            {place: (words, a[place].section) for place, words in enumerate(words_a)},
            {place: (words, b[place].section) for place, words in enumerate(words_b)},
        )
    )
    left_a, left_b = pair(_match_keys(left_a, left_b))
    if max(len(left_a), len(left_b)) <= MOST_ALIKE:
        pair(sorted(_match_similar(left_a, left_b), key=lambda found: (-found[0], *found[1:])))
    changes: list[ClaimPair] = []
    for place, claim in enumerate(b):
        if place not in in_b:
            changes.append(ClaimPair(how="added", a=None, b=claim, similarity=0.0))
        elif a[in_b[place][0]] != claim:
            before, ratio = in_b[place]
            changes.append(ClaimPair(how="changed", a=a[before], b=claim, similarity=round(ratio, 3)))
    gone = [ClaimPair(how="removed", a=one, b=None, similarity=0.0) for at, one in enumerate(a) if at not in in_a]
    return (*changes, *gone), len(b) - len(changes)


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


def _match_keys(a: Mapping[int, Hashable], b: Mapping[int, Hashable]) -> Iterator[Match]:
    """Claims of one key, in the order of both sides."""
    by_key: dict[Hashable, list[int]] = {}
    for place, key in a.items():
        by_key.setdefault(key, []).append(place)
    for place, key in b.items():
        if alike := by_key.get(key):
            yield 1.0, place, alike.pop(0)


def _match_similar(a: Mapping[int, Words], b: Mapping[int, Words]) -> Iterator[Match]:
    """Claims that are alike enough."""
    counts = {place: Counter(words) for place, words in a.items()}
    for place, others in b.items():
        own, matcher = Counter(others), SequenceMatcher(None, (), others, autojunk=False)
        for one, words in a.items():
            both = len(words) + len(others)
            if both and 2 * (own & counts[one]).total() / both >= ALIKE:  # in any order; in the same one it is no more
                matcher.set_seq1(words)
                if (ratio := matcher.ratio()) >= ALIKE:
                    yield ratio, place, one
