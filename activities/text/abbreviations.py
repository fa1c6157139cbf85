"""What the library of sentence ends takes for one and is none: abbreviations it lacks, initials, ordinals of German.

Only abbreviations that call for a word or number behind them are listed: `max.`, `inkl.`, `M.`; not those that often
end a sentence, as `usw.` or `Jh.` do. Letter case counts: in French `M.` is a title and `m.` a unit.
"""

from collections.abc import Mapping
from typing import Final

import regex

_CALLING: Final[Mapping[str, str]] = {
    "de": (
        "Abb Abs Abt allg amtl Anm Aufl bes betr bspw bzgl Dipl ehem einschl engl entspr evtl exkl Fa franz geb gegr "
        "gem ggf ggü griech Hrsg inkl insb insbes jur Kap lat max med mind nat nördl östl phil Pos Präs rd rel rer "
        "resp röm schweiz sog stv südl Tab theol Tsd urspr vorm westl wg Ziff zzgl Okt Dez"
    ),
    "es": "Dña ed Mons núm nº Cía",
    "fr": "coll Cie Dr M Me Mgr MM Mme no nº n° Pr réf St Ste trad",
}
_COUNTING: Final[Mapping[str, str]] = {
    "es": "aprox máx mín",
    "fr": "env max min janv févr avr juil août sept oct nov déc",
}
"""Those that may end a sentence as well, and do not before a number or a small letter: `le 3 oct. 2023`."""


def _compile_before(written: str) -> regex.Pattern[str]:
    return regex.compile(rf"(?<![\p{{L}}\p{{N}}])(?:{'|'.join(written.split())})\.\s*$")


_ABBREVIATED: Final = {code: _compile_before(written) for code, written in _CALLING.items()}
_COUNTED: Final = {code: _compile_before(written) for code, written in _COUNTING.items()}
_ORDINAL: Final = regex.compile(
    r"\b(?:am|ab|beim|bis|dem|den|der|des|die|das|im|ins|jede[mnrs]?|seit|vom|zum|zur|\d{1,2}\.\s(?:bis|oder|sowie|und))"
    r"\s\d{1,2}\.\s*$",
    regex.IGNORECASE,
)
"""An article or what has one in it, or another ordinal, and a number: `im 2. Quartal`, `im 19. und 20. Jahrhundert`."""
_BEGINNING: Final = regex.compile(
    r"(?:Als|Am|Auf|Bei|Da|Danach|Dann|Das|Dem|Den|Der|Des|Die|Dies\p{L}*|Dort|Ein|Eine[mnrs]?|Er|Es|Im|In|Mit|Nach|Sie|"
    r"Von|Wir)\b"
)
"""Words with which sentences begin and that follow no ordinal: `Er`, `Der`, `Im`, `Danach`."""
_OF_ORDINALS: Final = regex.compile(r"(?:Halbjahr|Jahrhundert|Jahrtausend|Jahrzehnt|Quartal)")
_NUMBERED: Final = regex.compile(r"(?<!\d)\d{1,2}\.\s*$")
_HYPHEN: Final = regex.compile(r"[-\u2010\u2011]\p{L}")
_SMALL: Final = regex.compile(r"[\d\p{Ll}]")
_SMALL_WORD: Final = regex.compile(r"\p{Ll}[\p{Ll}.]")
"""Not `p53`, `pH` or `mRNA`, with which sentences begin."""
_INITIAL: Final = regex.compile(r"(?<![\p{L}\p{N}])(?:\p{L}|al|col)\.\s*$")
"""A letter alone, as in `E. coli`, or what stands for the other authors."""
_LOOKED_AT: Final = 60


def ends_sentence(code: str, before: str, behind: str) -> bool:
    """Whether a sentence may end between `before` and `behind`, texts in the language `code`, as the library said."""
    last = before[-_LOOKED_AT:]
    if _INITIAL.search(last) and (_HYPHEN.match(behind) or _SMALL_WORD.match(behind) or not last[-1].isspace()):
        return False
    if (abbreviated := _ABBREVIATED.get(code)) and abbreviated.search(last):
        return False
    if (counted := _COUNTED.get(code)) and _SMALL.match(behind) and counted.search(last):
        return False
    return not (code == "de" and is_german_ordinal(last, behind))


def is_german_ordinal(last: str, behind: str) -> bool:
    """Whether the number and full stop at the end of `last` are an ordinal, as before a noun: `im 1. Betriebsjahr`."""
    if _OF_ORDINALS.match(behind):
        return _NUMBERED.search(last) is not None
    return _ORDINAL.search(last) is not None and not _BEGINNING.match(behind)
