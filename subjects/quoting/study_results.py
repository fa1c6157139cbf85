"""Which sentence of a study states what was found, apart from its aim and methods: heading and wording show it."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from elcano.subjects.quoting.passages import Passage
from elcano.subjects.quoting.quotable_sentences import Sentence

STUDY_SHARE: Final = 0.4
"""Minimum share of a study's sentences that tell its aim, its methods or figures."""

_HEADED_RESULT: Final = re.compile(
    r"^\W*(?:[\d.]+ )?(?:\w+ )?(?:results?|findings?|conclusions?|interpretation)\b", re.I
)
_AIM: Final = re.compile(
    r"\b(?:aim(?:s|ed)?|purposes?|objectives?|goals?|hypothes\w+|sought|whether|unclear|unknown|controversial)\b"
    r"|\bto (?:\w+ly )?(?:determine|evaluate|assess|investigate|examine|explore|compare|describe|identify|analy[sz]e|"
    r"study|test)\b"
    r"|\b(?:we|study|paper|article|trial|review) (?:investigate[sd]?|examine[sd]?|evaluate[sd]?|assess(?:es|ed)?|"
    r"compare[sd]?|analy[sz]e[sd]?)\b",
    re.IGNORECASE,
)
_METHOD: Final = re.compile(
    r"\b(?:were|was) (?:\w+ly )?(?:randomi[sz]ed|enrolled|recruited|included|selected|collected|measured|assessed|"
    r"evaluated|examined|analy[sz]ed|performed|obtained|recorded|reviewed|used|conducted|studied|assigned|divided)\b"
    r"|\b(?:retrospective|prospective|consecutive|cross-sectional|cohort|questionnaires?|randomi[sz]ed|database)\b",
    re.IGNORECASE,
)
_FIGURES: Final = re.compile(
    r"\d\s?%|\bper ?cent\b|\b[pr]\s?[<=>\u2264\u2265]\s?-?0?\.\d|\b(?:CI|OR|HR|RR|AUC|SD)\b[ :=,]|\u00b1"
    r"|\b\d+(?:\.\d+)? ?(?:vs\.?|versus) ?\d"
)
_FOUND: Final = re.compile(
    r"\bsignifican\w+|\b(?:no|not|without) (?:\w+ ){0,3}(?:differ|associat|correlat|effect|chang|improv|evidence)"
    r"|\b(?:associated|correlated|higher|lower|greater|better|worse|similar|increased|decreased|reduced|improved|found|"
    r"show(?:s|ed|n)|reveal(?:s|ed)|demonstrate[sd]|suggests?|conclude[sd]?|had|there (?:was|were)|than)\b",
    re.IGNORECASE,
)


def measure_results(passage: Passage) -> Iterator[tuple[Sentence, float]]:
    """The sentences of a passage, each with how far it is a result, from about -2 to 4."""
    headed = _is_headed(passage)
    for sentence in passage.sentences:
        yield sentence, 2.0 * headed + measure_wording(sentence.text)


def is_study(passages: Sequence[Passage]) -> bool:
    """Whether the passages of one document report a study: most sentences give aims, methods or figures, all kinds."""
    texts = [one.text for passage in passages for one in passage.sentences]
    figures = sum(_FIGURES.search(text) is not None for text in texts)
    others = sum(_AIM.search(text) is not None or _METHOD.search(text) is not None for text in texts)
    headed = any(map(_is_headed, passages))
    return (headed and figures > 0) or (others > 0 and figures + others >= STUDY_SHARE * len(texts))


def is_aim(text: str) -> bool:
    """Whether `text` says what was wanted to be known, and nothing of what became known."""
    return _AIM.search(text) is not None and measure_wording(text) <= 0


def measure_wording(text: str) -> float:
    """Each sign of a result counts for it, twice at most, and an aim or a method against it."""
    figures, found = min(2, len(_FIGURES.findall(text))), min(2, len(_FOUND.findall(text)))
    return 0.8 * figures + 0.6 * found - 1.2 * bool(_AIM.search(text)) - bool(_METHOD.search(text))


def _is_headed(passage: Passage) -> bool:
    return _HEADED_RESULT.match(passage.item.heading.rpartition(" > ")[2]) is not None
