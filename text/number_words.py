"""Numbers in words of seven languages (`twelve`, `zwölf`, `threefold`), and words that multiply (`million`)."""

import re
from collections.abc import Collection
from decimal import Decimal
from functools import cache, lru_cache
from typing import Final

_LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl")
_LANGUAGES_TO_HUNDRED: Final = ("ru", "tr", "pl")
_RUSSIAN_FORMS: Final = (
    *("две двух двум двумя", "трёх трех трём трем", "четырёх четырех", "пяти", "шести", "семи", "восьми", "девяти"),
    "десяти",
)
"""Forms of the numbers from two to ten."""
_OTHER_WORDS: Final = "on sto once sei due elf neuf cent dos acht onze six tien ten neun vier sete sette"
_AMBIGUOUS: Final = frozenset(_OTHER_WORDS.split())
"""Number words that are other words in another language: they count in a quote, and are not asked of one."""
_POWERS: Final = {
    3: "thousand thousands tausend k 千 천 тыс tys",
    2: "百",
    4: "万 萬 만",
    5: "lakh lakhs lac лакх",
    6: "millionen mio mn mln m mi млн",
    7: "crore crores крор",
    8: "亿 億 억",
    9: "billion billions bn b bi milliarde milliarden mrd mld mldr млрд",
    12: "trillion trillions tn billionen bilione bilioni bilião biliões трлн 兆 조",
    18: "trillionen trillón trillones triljoen trylion",
}
"""Words that the CLDR has not, with the abbreviations, and those that are of several languages."""
_SCALE_LANGUAGES: Final = tuple(
    "ar bg cs da de el es et fa fi fr he hi hr hu id it lt lv nb nl pl pt ro ru sk sl sv th tr uk vi".split()  # noqa: SIM905
)
_SCALE_PATTERN: Final = re.compile(r"\W*(?P<zeros>0+) (?P<word>[^\W\d_][^\s'0]*)")
_FOLD: Final = re.compile(r"^(.{2,}?)(?:-?fold|fach|voudig|mal|maal)$")
_MULTIPLIERS: Final = {
    "0.5": "halved halving halbiert halbierte halbierten dimezzato dimezzata dimezzati dimezzate gehalveerd halveerde",
    "2": "double doubled doubling twice verdoppelt verdoppelte verdoppelten doublé doublée doublés doublées duplicó"
    " duplicaron raddoppiato raddoppiata raddoppiati raddoppiate duplicou duplicaram dobrou verdubbeld verdubbelde"
    " дважды вдвое",
    "3": "thrice triple tripled verdreifacht verdreifachte triplé triplée triplés triplées triplicó triplicaron"
    " triplicou трижды втрое",
    "4": "quadrupled vervierfacht vervierfachte quadruplé quadruplée cuadruplicó quadruplicou",
}
_MULTIPLES: Final = {word: Decimal(factor) for factor, words in _MULTIPLIERS.items() for word in words.split()}


_LONG_SCALE: Final = {"billion": 12, "billions": 12, "trillion": 18, "trillions": 18}
"""Powers of ten of these in languages that have another word for 10⁹."""
_LONG_SCALE_LANGUAGES: Final = frozenset({"de", "fr", "da", "nb", "sv", "fi", "pl"})
UNSURE_SCALES: Final = frozenset({"b", "m", "bin"})
"""Scale words that are something else, too: parts of a figure, metres, and a German verb."""


def parse_scale_word(word: str, languages: Collection[str] = ()) -> int:
    """The power of ten that a word such as `million` multiplies by; 0 if it is none.

    A billion is 10⁹ in English and 10¹² in German: `languages` are those that the text may be in.
    """
    said = word.lower()
    if said in _LONG_SCALE and languages and _LONG_SCALE_LANGUAGES.issuperset(languages):
        return _LONG_SCALE[said]
    return _load_scales().get(said, 0)


@cache
def _load_scales() -> dict[str, int]:
    """Words that multiply a number, with their powers of ten."""
    from babel import Locale  # needed with the first text that has figures

    known = {word: power for power, listed in _POWERS.items() for word in listed.split()}
    for language in _SCALE_LANGUAGES:
        for by_size in Locale(language).compact_decimal_formats["long"].values():
            for size, pattern in by_size.items():
                if found := _SCALE_PATTERN.fullmatch(pattern.pattern):
                    known.setdefault(found["word"], len(size) - len(found["zeros"]))
    compounds = {
        tens + one: more + known[one]
        for signs, ones in (("十百千", "万萬亿億兆"), ("십백천", "만억조"))
        for more, tens in enumerate(signs, 1)
        for one in ones
    }
    return known | compounds


def is_long_scale_word(word: str) -> bool:
    """Whether the language decides what a scale word is."""
    return word.lower() in _LONG_SCALE


_FACTORS: Final = {
    **dict.fromkeys(("hundred", "hundert", "cent", "cents", "ciento", "cientos", "cem", "cento", "honderd"), 100),
    **dict.fromkeys(("dozen", "dozens", "dutzend", "douzaine", "douzaines", "docena", "docenas"), 12),
    **dict.fromkeys(("dozzina", "dúzia", "dúzias", "dozijn"), 12),
}
_COMPOUNDS: Final = (
    *(("tausend", 1000), ("duizend", 1000), ("mila", 1000), ("mille", 1000)),
    *(("hundert", 100), ("honderd", 100), ("cento", 100)),
)
_ONES: Final = {"": 1, "ein": 1, "eins": 1, "een": 1, "uno": 1, "un": 1}
_HALVES: Final = re.compile(
    r"(?P<whole>ander|ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|twee|drie|vijf|zes|zeven|negen)(?:ein|[eë]n)?(?:thalb|hal[bf])$"
)


def parse_factor(word: str) -> int:
    """The hundred or twelve by which a lower-case word multiplies the number in words before it; 0 if it does not."""
    return _FACTORS.get(word, 0)


def parse_half_word(word: str) -> Decimal | None:
    """Parse a lower-case German word such as `anderthalb`; None if it says no half."""
    found = _HALVES.match(word)
    if found is None or word in ("einhalb",):
        return None
    whole = 1 if found["whole"] in ("ander", "ein") else number_word(found["whole"])
    return None if whole is None else whole + Decimal("0.5")


def number_word(word: str) -> int | None:
    """The number that a lower-case word names, 2 or more; None if it names none."""
    return _number_words().get(_FEMININE.sub("os", word)) or _parse_compound(word)


_FEMININE: Final = re.compile(r"(?<=[cnz]ient)as$|(?<=uinient)as$|(?<=[nz]ent)as$|(?<=hent)as$")
"""The ending of Spanish and Portuguese hundreds that are counted of feminine words: `doscientas`, `duzentas`."""


@lru_cache(maxsize=10_000)
def _parse_compound(word: str) -> int | None:
    """The number that German, Dutch and Italian write as one word above a hundred: `zweitausend`, `duecentodieci`."""
    for sign, power in _COMPOUNDS:
        head, found, tail = word.partition(sign)
        if not found or not (head or tail):
            continue
        many = _ONES.get(head) or number_word(head)
        tail = tail.removeprefix("und").removeprefix("ën")
        more = (_ONES.get(tail) or number_word(tail)) if tail else 0
        return None if many is None or more is None or more >= power else many * power + more
    return None


def parse_multiple_word(word: str) -> Decimal | None:
    """Parse a lower-case multiple such as `threefold`, `doubled` or `halved`; None if it is none."""
    fold = _FOLD.match(word)
    many = number_word(fold[1]) if fold else None
    return _MULTIPLES.get(word) if many is None else Decimal(many)


_LONE_THOUSANDS: Final = {
    **{"mil": frozenset({"es", "pt"}), "mille": frozenset({"fr", "it"})},
    **{"tausend": frozenset({"de"}), "duizend": frozenset({"nl"})},
}
"""Words that are a thousand without a word before them, with the languages in which they are."""


def is_lone_thousand(word: str, languages: Collection[str] | None = None) -> bool:
    """Whether a lower-case word of a text in one of these languages, or in any, is the number 1000."""
    own = _LONE_THOUSANDS.get(word, frozenset())
    return bool(own) if languages is None else not own.isdisjoint(languages)


_POINTED_SCALES: Final = frozenset(
    "thousand million billion billions trillion trillions bn mn tn lakh lakhs crore crores".split()  # noqa: SIM905
)
_NEUTRAL_SCALES: Final = frozenset("k m millions mio mln bin".split())  # noqa: SIM905


def find_decimal_sign(scale: str) -> str:
    """The decimal sign that goes with a scale word: `millones` is of languages with a comma; empty: either may."""
    said = scale.lower()
    return "" if said in _NEUTRAL_SCALES else "." if said in _POINTED_SCALES else ","


_ROMAN: Final = re.compile(r"(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})")
_ROMAN_DIGITS: Final = {"I": 1, "V": 5, "X": 10}


def parse_roman_numeral(written: str) -> int:
    """The number that a numeral from `I` to `XXXIX` says; 0 if it is none."""
    if not _ROMAN.fullmatch(written):
        return 0
    digits = [_ROMAN_DIGITS[one] for one in written]
    return sum(-one if one < max(digits[place:]) else one for place, one in enumerate(digits))


@cache
def list_ordinals(number: int) -> frozenset[str]:
    """Ordinals of a number of one or two digits as texts have them, in words and digits, in lower case."""
    from num2words import num2words

    said = {f"{number}{ending}" for ending in ("st", "nd", "rd", "th", "e", "er", "º", "ª")}
    for language in _LANGUAGES:
        word = num2words(number, lang=language, to="ordinal").lower()
        said |= {word, *(f"{word[:-1]}{ending}" for ending in "aeo" if word[-1:] in "aeo"), f"{word}n", f"{word}r"}
    return frozenset(said)


def is_ambiguous(word: str) -> bool:
    """Whether a number word is also another word."""
    return word.lower() in _AMBIGUOUS


@cache
def _number_words() -> dict[str, int]:
    from num2words import num2words

    known: dict[str, int] = {}
    for language in _LANGUAGES:
        for number in range(100, 1, -1):
            known[num2words(number, lang=language).removeprefix("one ")] = number
        for number in range(200, 1000, 100):
            known.setdefault(num2words(number, lang=language), number)
    for language in _LANGUAGES_TO_HUNDRED:
        for number in range(99, 1, -1):
            known.setdefault(num2words(number, lang=language), number)
    return (
        {form: number for number, forms in enumerate(_RUSSIAN_FORMS, 2) for form in forms.split()}
        | known
        | {one: 12 for one in _FACTORS if _FACTORS[one] == 12 and one[-1] != "s"}
        | {"hundred": 100, "hundert": 100, "duas": 2}
    )
