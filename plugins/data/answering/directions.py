"""Which way words say that something went, in English, German, French and Spanish: up, down, or they do not say."""

import re
from typing import Final

_RISING: Final = (
    r"rose|rises?|rising|risen|increas\w*|grew|grow\w*|gain\w*|up|climb\w*|higher|stieg\w*|gestiegen|steig\w*|wuchs\w*|"
    r"gewachsen|wächst|zunahme|zugenommen|höher\w*|augment\w*|hausse|progress\w*|supérieur\w*|aument\w*|crec\w*|"
    r"subi\w*|mayor"
)
_FALLING: Final = (
    r"fell|falls?|fallen|falling|decreas\w*|declin\w*|drop\w*|down|lower\w*|loss\w*|lost|shr[aiu]nk\w*|below|minus|"
    r"deficit\w*|negative|reduc\w*|sank\w*|gesunken|sink\w*|fiel\w*|gefallen|niedriger\w*|rückgang\w*|abnahme|"
    r"abgenommen|verlust\w*|baiss\w*|diminu\w*|recul\w*|inférieur\w*|perte\w*|disminu\w*|cay\w*|caíd\w*|baj\w*|"
    r"descen\w*|pérdida\w*|menor"
)
_BEFORE: Final = re.compile(rf"\b(?:(?P<up>{_RISING})|(?P<down>{_FALLING}))\b", re.IGNORECASE)
_BEHIND: Final = re.compile(
    rf"\b(?:(?P<up>{_RISING}|more|mehr|plus|más)|(?P<down>{_FALLING}|less|fewer|weniger|moins|menos))\b", re.IGNORECASE
)
_SENTENCE: Final = re.compile(r"[.;!?](?:\s|$)")


def is_described_as_decrease(text: str, start: int, end: int) -> bool | None:
    """Whether the words around a number, from `start` to `end`, say that something went down; None: they do not say.

    The nearest word of its sentence counts.
    """
    begins = max((found.end() for found in _SENTENCE.finditer(text, 0, start)), default=0)
    closes = _SENTENCE.search(text, end)
    before = [(start - found.end(), found) for found in _BEFORE.finditer(text, begins, start)]
    behind = [
        (found.start() - end, found) for found in _BEHIND.finditer(text, end, closes.start() if closes else len(text))
    ]
    nearest = min((*before, *behind), key=lambda one: one[0], default=None)
    return None if nearest is None else nearest[1]["down"] is not None
