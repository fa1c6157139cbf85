"""Numbers as word processors print them in front of list items, headings and notes."""

from collections.abc import Callable, Mapping
from typing import Final

_ROMAN: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_CHINESE_DIGITS: Final = "〇一二三四五六七八九"
_MOST_REPEATED: Final = 26 * 20
"""Letters that count further are repeated more than twenty times: numbers made up to fill the memory."""
_LARGEST_ROMAN: Final = 4_999
_RUSSIAN: Final = "абвгдежзиклмнопрстуфхцчшщыэюя"
_HEBREW: Final = "אבגדהוזחטיכלמנסעפצקרשת"
_ARABIC: Final = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"
_KANA: Final = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA: Final = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
_HANGUL: Final = "가나다라마바사아자차카타파하"
_STEMS: Final = "甲乙丙丁戊己庚辛壬癸"
_SIGNS: Final = "*†‡§"


def write_number(number: int, style: str) -> str:
    """`number` in a numbering style of WordprocessingML, such as `lowerRoman`; in digits if that is not known."""
    writer = _WRITERS.get(style)
    return writer(number) if writer is not None and number > 0 else str(number)


def write_letters(number: int) -> str:
    """`number` as columns of a sheet are named: A … Z, AA, AB."""
    letters = ""
    while number > 0:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _write_roman(number: int) -> str:
    if number > _LARGEST_ROMAN:
        return str(number)
    parts: list[str] = []
    for value, letters in _ROMAN:
        times, number = divmod(number, value)
        parts.append(letters * times)
    return "".join(parts)


def _repeat_from(alphabet: str) -> Callable[[int], str]:
    """A writer by letters, which are doubled after the last one: a … z, aa, bb."""

    def write(number: int) -> str:
        times, place = divmod(number - 1, len(alphabet))
        return alphabet[place] * (times + 1) if number <= _MOST_REPEATED else str(number)

    return write


def _choose_from(signs: str) -> Callable[[int], str]:
    return lambda number: signs[(number - 1) % len(signs)]


def _write_ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _write_in_words(to: str) -> Callable[[int], str]:
    def write(number: int) -> str:
        from num2words import num2words

        words = str(num2words(number, to=to))
        return words[:1].upper() + words[1:]

    return write


def _write_chinese(number: int) -> str:
    """Up to 99 with the sign for ten, beyond that digit by digit."""
    tens, ones = divmod(number, 10)
    if number >= 100:
        return "".join(_CHINESE_DIGITS[int(digit)] for digit in str(number))
    return (
        (_CHINESE_DIGITS[tens] if tens > 1 else "") + ("十" if tens else "") + (_CHINESE_DIGITS[ones] if ones else "")
    )


def _write_circled(number: int) -> str:
    return chr(0x245F + number) if number <= 20 else str(number)


_WRITERS: Final[Mapping[str, Callable[[int], str]]] = {
    "lowerRoman": _write_roman,
    "upperRoman": lambda number: _write_roman(number).upper(),
    "lowerLetter": _repeat_from("abcdefghijklmnopqrstuvwxyz"),
    "upperLetter": _repeat_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "russianLower": _repeat_from(_RUSSIAN),
    "russianUpper": _repeat_from(_RUSSIAN.upper()),
    "hebrew2": _repeat_from(_HEBREW),
    "arabicAlpha": _choose_from(_ARABIC),
    "aiueo": _choose_from(_KANA),
    "aiueoFullWidth": _choose_from(_KANA),
    "iroha": _choose_from(_IROHA),
    "irohaFullWidth": _choose_from(_IROHA),
    "ganada": _choose_from(_HANGUL),
    "ideographTraditional": _choose_from(_STEMS),
    "chicago": _repeat_from(_SIGNS),
    "ordinal": _write_ordinal,
    "cardinalText": _write_in_words("cardinal"),
    "ordinalText": _write_in_words("ordinal"),
    "decimalZero": lambda number: f"{number:02}",
    "decimalEnclosedCircle": _write_circled,
    "decimalEnclosedCircleChinese": _write_circled,
    "decimalEnclosedParen": lambda number: f"({number})",
    "decimalEnclosedFullstop": lambda number: f"{number}.",
    "numberInDash": lambda number: f"- {number} -",
    "decimalFullWidth": lambda number: "".join(chr(0xFEE0 + ord(digit)) for digit in str(number)),
    **dict.fromkeys(
        (
            *("chineseCounting", "chineseCountingThousand", "ideographDigital", "japaneseCounting"),
            *("japaneseDigitalTenThousand", "taiwaneseCounting", "taiwaneseCountingThousand", "koreanDigital2"),
        ),
        _write_chinese,
    ),
    "none": lambda number: "",
}
