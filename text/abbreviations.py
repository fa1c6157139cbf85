"""Periods that the library of sentence ends misreads: abbreviations it lacks, initials, ordinals of German.

Only abbreviations that call for a word or number behind them are listed: `max.`, `inkl.`, `M.`; not those that often
end a sentence, as `usw.` or `Jh.` do. Letter case counts: in French `M.` is a title and `m.` a unit.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import regex

_CALLING: Final[Mapping[str, str]] = {
    "cs": "např popř vč zejm tzv tzn tj event",
    "de": (
        "Abb Abs Abt allg amtl Anm Aufl Ausg Bd Bde Bearb bes betr bspw bzgl ders dies Dipl ebd ehem einschl engl "
        "entspr evtl exkl Fa franz geb gegr gem ggf ggü griech Hrsg inkl insb insbes jur Kap lat max med mind nat "
        "nördl östl phil Pos Präs rd rel rer resp röm schweiz sog stv südl Tab Tel theol Tsd Übers urspr Verf vorm "
        "westl wg Ziff zzgl Okt Dez"
    ),
    "en": "approx est excl incl Ms Pt Ref Refs Vol",
    "es": "cf Dña ed Mons núm nº Cía",
    "fi": "esim ks nro tri ts vrt",
    "fr": "coll c.-à-d Cie Dr M Me Mgr MM Mme no nº n° Pr préf réf St Ste trad",
    "id": "Bpk Jl Ny Sdr",
    "nl": "d.w.z mevr o.a",
    "pl": "al dr im inż ks m.in mgr np płk por św tj ul wg zob",
    "pt": "Av cf núm nº pág págs",
    "ro": "d-na dl",
    "ru": "им напр обл см ср т.е ул",  # noqa: RUF001
    "sv": "jfr resp t.ex",
    "tr": "Alb Av bkz Doç ör örn Sn",
}
_COUNTING: Final[Mapping[str, str]] = {
    "cs": "čl kap odst roč s tab",
    "en": "avg cap ch chap cv ed eds Eq Eqs Figs Int Natl para Proc resp sect Ser sp spp subsp suppl temp var",
    "es": "aprox art depto máx mín ref s ss v",
    "fi": "art klo kuv luku n maks mm mrd milj os puh s taul",
    "fr": "ann biblio dép env fig max min n p t vol janv févr avr juil août sept oct nov déc",
    "id": "ed gb hal hlm tgl thn no",
    "it": "ca n pag pagg sez",
    "nl": "afb blz ong tel uitg jan feb aug sept okt nov dec",
    "pl": "art gen godz maks nr ok pkt pl poz red rys s str t tel ust ww wyd",
    "pt": "ago aprox av cap ed máx mín obs p pp ref séc tel vol jan fev set out nov dez",
    "ro": "alin aprox bd cap cca ed ex jud lit nr pag str tel",
    "ru": "гл изд макс мин млн млрд ок прим ред рис ст табл тыс янв февр авг сент окт нояб дек",
    "sv": "bd exkl inkl kap kl milj red sid tel uppl okt",
    "tr": "Apt böl Cad çev Mah s Sok ss Şek yak",
}
"""Abbreviations that may end a sentence as well, and do not before a number or a small letter: `le 3 oct. 2023`."""
_EVERYWHERE: Final = "approx cf chap excl fig figs incl max min nr pp resp tab vol vols wt"
"""Such ones of all languages; behind a number they are units: `30 min`."""

_NUMBERS: Final = r"\[\d[\d,;\s\u2013-]{0,30}\]"
"""Numbers in brackets, which a sentence takes with it as its marks: here what the abbreviation counts, `Ref. [6]`."""


def _compile_before(written: str, everywhere: str = "") -> regex.Pattern[str]:
    words = [form for word in written.split() for form in (word, word[0].upper() + word[1:])]
    own = "|".join(map(regex.escape, words)) or "(?!)"
    more = "|".join(everywhere.split()) or "(?!)"
    return regex.compile(rf"(?<![\p{{L}}\p{{N}}])(?:{own}|(?<!\d\s)(?i:{more}))\.\s*(?:{_NUMBERS}\s*)?$")


_ABBREVIATED: Final = {code: _compile_before(written) for code, written in _CALLING.items()}
_COUNTED: Final = {code: _compile_before(written, _EVERYWHERE) for code, written in _COUNTING.items()}
_COUNTED_ELSEWHERE: Final = _compile_before("", _EVERYWHERE)
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
_COUNTED_BEHIND: Final = regex.compile(r"[(\[]?\d|\p{Ll}")
_SMALL_WORD: Final = regex.compile(r"\p{Ll}[\p{Ll}.]")
"""Not `p53`, `pH` or `mRNA`, with which sentences begin."""
_INITIAL: Final = regex.compile(r"(?<![\p{L}\p{N}])(?:\p{L}|al|col)\.\s*$")
"""A letter alone, as in `E. coli`, or what represents the other authors."""
_GOING_ON: Final = regex.compile(r"\p{Ll}+(?![\p{L}\p{N}-])|[/,;:]")
_SHORT: Final = regex.compile(r"(?<![\p{L}\p{N}])(?:\p{L}{1,5}|\d{1,3})\.\s*$")
"""Words that are an abbreviation or an ordinal where a small word follows: `20 tys. ludzi`, `3. listopada`."""
MARK_ALONE: Final = regex.compile(r"\(?(?:\d{1,3}|\p{L})\.\s*")
"""No sentence but the number of the one that follows, or an initial."""
_ENUMERATIONS: Final = (
    "etc ecc usw usf u.s.w o.ä enz e.d itd itp ipd i_in atd atď apod aj osv o.s.v o.l m.m m.fl mv jne yms jms stb vb "
    "utt u.c ir_t.t ir_pan ș.a ş.a и_т.д и_т.п и_т.н и_пр и_др і_т.д і_т.п та_ін κ.λπ κ.ά κ.τ.λ"  # noqa: RUF001
)
_ERAS: Final = (
    "v.Chr n.Chr a.C d.C av.J.-C apr.J.-C f.Kr e.Kr n.l n.e н.э н.е пр.Хр сл.Хр π.Χ μ.Χ î.Hr d.Hr M.Ö M.S a.m p.m"  # noqa: RUF001
)


def _compile_closing(written: str) -> regex.Pattern[str]:
    forms = "|".join(regex.escape(one).replace(r"\.", r"\.\s?").replace("_", r"\s") for one in written.split())
    return regex.compile(
        rf"(?<![\p{{L}}\p{{N}}.])(?:{forms})\.(?=\s|$)(?:\s+(?P<capital>[\"'(\u201e\u201c\u00ab]?\p{{Lu}}))?"
    )


_CLOSING: Final = _compile_closing(f"{_ENUMERATIONS} {_ERAS}")
_CLOSING_GERMAN: Final = _compile_closing(_ENUMERATIONS)
_LOOKED_AT: Final = 60
_CLOSING_QUOTES: Final = ("」", "』")
_QUOTING: Final = ("と", "って", "、")
"""How a Japanese sentence continues behind what it quotes: `「行く。」と言った`."""


def mend_closing_ends(code: str, text: str, ends: Iterable[int]) -> list[int]:
    """The ends of sentences with those behind what ends a list or a date, before a capital: `etc.`, `и т. д.`, `p.m.`.

    In German a noun may follow a date, so there only lists are looked at.
    """
    found = set(ends)
    for closing in (_CLOSING_GERMAN if code == "de" else _CLOSING).finditer(text):
        begin, last = closing.span()
        capital = closing.start("capital")
        found.difference_update(range(begin + 1, last + 1))
        if capital >= 0:
            found.add(capital)
    return sorted(found)


def ends_sentence(code: str, before: str, behind: str) -> bool:
    """Whether a sentence may end between `before` and `behind`, texts in the language `code`, as the library said."""
    last = before[-_LOOKED_AT:]
    if code == "ja" and last.endswith(_CLOSING_QUOTES) and behind.startswith(_QUOTING):
        return False
    if _INITIAL.search(last) and (_HYPHEN.match(behind) or _SMALL_WORD.match(behind) or not last[-1].isspace()):
        return False
    if (abbreviated := _ABBREVIATED.get(code)) and abbreviated.search(last):
        return False
    if _GOING_ON.match(behind) and _SHORT.search(last):
        return False
    if _COUNTED_BEHIND.match(behind) and _COUNTED.get(code, _COUNTED_ELSEWHERE).search(last):
        return False
    return not (code == "de" and is_german_ordinal(last, behind))


def is_german_ordinal(last: str, behind: str) -> bool:
    """Whether the number and full stop at the end of `last` are an ordinal, as before a noun: `im 1. Betriebsjahr`."""
    if _OF_ORDINALS.match(behind):
        return _NUMBERED.search(last) is not None
    return _ORDINAL.search(last) is not None and not _BEGINNING.match(behind)
