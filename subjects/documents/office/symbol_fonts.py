"""Fonts whose letters are drawn as other signs: what a reader sees of them, in Unicode.

Word keeps such a sign as a code of its font, in the range of the font itself or in U+F000 to U+F0FF.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_SYMBOL_LOW: Final = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
_SYMBOL_HIGH: Final = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…│—↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ ⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
_SYMBOL: Final[Mapping[int, str]] = {
    **dict(enumerate(_SYMBOL_LOW, 0x20)),
    **dict(enumerate(_SYMBOL_HIGH, 0xA0)),
}
_WINGDINGS: Final[Mapping[int, str]] = {
    **dict(zip(range(0x22, 0x2B), "✂✁👓🕭🕮🕯☎✆✉", strict=True)),
    **dict(zip(range(0x3E, 0x43), "✇✍🖎✌👌", strict=True)),
    **dict(zip(range(0x43, 0x4F), "👍👎☜☞☝☟🖐☺😐☹💣☠", strict=True)),
    **dict(zip(range(0x51, 0x55), "✈☼💧❄", strict=True)),
    **dict(zip(range(0x58, 0x5E), "✠✡☪☯ॐ☸", strict=True)),
    **dict(zip(range(0x6C, 0x7B), "●❍■□❐❑❒⬧⧫◆❖⬥☒⍓⌘", strict=True)),
    **dict(zip(range(0x80, 0x8B), "⓪①②③④⑤⑥⑦⑧⑨⑩", strict=True)),
    **dict(zip(range(0x8B, 0x96), "⓿❶❷❸❹❺❻❼❽❾❿", strict=True)),
    **dict(zip(range(0x9E, 0xB0), "·•▪○○◉◉◎○▪□▲✦★✶✴✹✵", strict=True)),
    **dict(zip(range(0xD5, 0xE7), "⌫⌦◀➢▲▼⬅➲⬆⬇←→↑↓↖↗↙↘", strict=True)),
    **dict(zip(range(0xE7, 0xF3), "⬅➔⬆⬇⬉⬈⬋⬊⇦⇨⇧⇩", strict=True)),
    **dict(zip(range(0xF3, 0xFF), "⇔⇕⇖⇗⇙⇘▭▫✗✓☒☑", strict=True)),
}
_WINGDINGS_2: Final[Mapping[int, str]] = {
    **dict(zip(range(0x4F, 0x57), "✗✓☒☑☒☒⊗⊗", strict=True)),
    **dict.fromkeys((0x95, 0x96, 0x97, 0x98), "•"),
    **dict.fromkeys((0x9E, 0x9F, 0xA0, 0xA1, 0xA2), "■"),
    **dict.fromkeys((0xA3, 0xA4, 0x2A), "□"),
}
_WINGDINGS_3: Final[Mapping[int, str]] = {
    **dict(zip(range(0x66, 0x6A), "←→↑↓", strict=True)),
    **dict(zip((0x70, 0x71, 0x74, 0x75, 0x7D), "▲▼◀▶➤", strict=True)),
}
_WEBDINGS: Final[Mapping[int, str]] = {
    **dict(zip(range(0x33, 0x37), "◀▶▲▼", strict=True)),
    **dict(zip((0x61, 0x63, 0x67, 0x6E, 0x72), "✓□■●✗", strict=True)),
}
_UNKNOWN: Final[Mapping[int, str]] = MappingProxyType({})
"""Fonts of pictures that have no characters."""
_FONTS: Final[Mapping[str, Mapping[int, str]]] = {
    "symbol": _SYMBOL,
    "symbolmt": _SYMBOL,
    "symbol mt": _SYMBOL,
    "wingdings": _WINGDINGS,
    "wingdings 2": _WINGDINGS_2,
    "wingdings 3": _WINGDINGS_3,
    "webdings": _WEBDINGS,
    **dict.fromkeys(
        ("marlett", "mt extra", "bookshelf symbol 7", "zapfdingbats", "zapf dingbats", "fontawesome"), _UNKNOWN
    ),
}
_PRIVATE: Final = 0xF000
"""Office adds this to codes of fonts that have signs for letters."""
_PRIVATE_SIGN: Final = re.compile("[\uf020-\uf0ff]")


def is_symbol_font(font: str) -> bool:
    """Whether the letters of a font are drawn as other signs."""
    return font.strip().lower() in _FONTS


def decode_symbols(text: str, font: str) -> str:
    """Decode `text` in a symbol font as readers see it; signs without a character, such as a telephone, are left out.

    Codes in the private range are decoded by Symbol where another font is named: there it is a substitute.
    """
    table = _FONTS.get(font.strip().lower())
    if table is None:
        return _PRIVATE_SIGN.sub(lambda sign: _SYMBOL.get(ord(sign[0]) - _PRIVATE, ""), text)
    return "".join(_decode_sign(sign, table) for sign in text)


def has_private_signs(text: str) -> bool:
    """Whether there are codes of a font of signs in it, in the range that Office uses for them."""
    return _PRIVATE_SIGN.search(text) is not None


def _decode_sign(sign: str, table: Mapping[int, str]) -> str:
    code = ord(sign) - _PRIVATE if _PRIVATE_SIGN.match(sign) else ord(sign)
    return sign if code > 0xFF or sign.isspace() else table.get(code, "")
