"""Quotes as they were before a PDF flattened them: other readings, in which figures and names are looked for, too."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from elcano.text.number_words import number_word

PRIVATE: Final = "\ue000-\uf8ff"
"""Characters without a meaning, by which PDFs of some publishers write ligatures: `de\ue103ned` is "defined"."""
_PRIVATE_WORD: Final = re.compile(rf"(?<![^\W_])[^\W_]*+[{PRIVATE}][\w{PRIVATE}]*")
"""From the beginning of a word: begun at each of its letters, a long word would take the square of its time."""
_PRIVATE_CHARACTER: Final = re.compile(f"[{PRIVATE}]")
_LIGATURE: Final = "(?:ff[ilt]?|f[ijltb]|t[ti]|Th)"


def list_unreadable_words(text: str) -> tuple[str, ...]:
    """The words of `text` with an unreadable ligature, as they are there."""
    return tuple(dict.fromkeys(_PRIVATE_WORD.findall(text)))


def spell_ligatures(quote: str, words: Sequence[str]) -> str:
    """`quote` with these words with an unreadable ligature as they are in the text."""
    for word in words:
        parts = _PRIVATE_CHARACTER.split(word)
        if all(part in quote for part in parts):  # a pattern takes a thousand times as long to compile
            quote = re.sub(rf"(?<!\w){_LIGATURE.join(map(re.escape, parts))}(?!\w)", word, quote)
    return quote


_ITEM: Final = re.compile(r"(?P<word>[^\W\d_][^,;.()]{0,40}?)(?P<note>\d)(?!\w)")
_GLUED: Final = re.compile(r"[^\W\d_]\d(?!\w)")
_AND: Final = re.compile(r"\s?(?:[,;]|(?:and|or|und|et)\b)")


def restore_quotes(quotes: Sequence[str], *, bare: bool = True) -> tuple[str, ...]:
    """`quotes` in plain letters, and each once more as it was before a PDF flattened it: notes unglued, powers raised.

    Digits are the numbers of footnotes where neighbours end with digits that count up, as in `ChatGPT2, GPT-43 and
    Claude 24`, the first of which is glued to letters, and where what is left are different words.

    `bare`: with powers behind no sign of multiplication, `103`, which are mostly numbers and nothing to compute with.
    """
    quotes = tuple(map(write_plain_letters, quotes))
    return (
        *quotes,
        *(plain for quote in quotes if (plain := _remove_glued_notes(quote)) != quote),
        *(raised for quote in quotes if (raised := _raise_powers(quote, bare=bare)) != quote),
    )


def write_plain_letters(text: str) -> str:
    """`text` with the letters of formulas in the font of its words."""
    return text if text.isascii() else text.translate(_PLAIN)


_PLAIN: Final = {
    # letters and digits of formulas, which are plain ones in another font, and the signs that nobody sees between them
    **{styled: unicodedata.normalize("NFKC", chr(styled)) for styled in range(0x1D400, 0x1D800)},
    **dict.fromkeys(range(0x2061, 0x2065)),
}
_FLAT_POWER: Final = re.compile(r"(?<![\d.,])10(?P<power>[-\u2010-\u2013\u2212]\d{1,2}|[3-9]|[12]\d)(?![\d.,]*\d)")
_CROSS: Final = re.compile(r"\d[ \u00a0]?[x\u00d7*\u00b7\u22c5][ \u00a0]?\Z")
_LOST_MINUS: Final = re.compile(r"(?<=[^\W\d_])\ufffd(?=[\u00b9\u00b2\u00b3\u2074-\u2079])")
"""A sign that a PDF could not decode, between a unit and its raised digit: `cm\ufffd\u00b9`."""


_ORDERS: Final = re.compile(
    r"\b(?P<count>[1-9]\d?|[a-z]{2,12})[ \u00a0]orders?[ \u00a0]"
    r"(?:of[ \u00a0]magnitude(?![ \u00a0-]estimat)|(?=(?:small|larg|great|high|low)er\b))",
    re.IGNORECASE,
)
_NO_MULTIPLE: Final = re.compile(
    r"\b(?:within|to|(?<!more )(?<!less )than|of[ \u00a0]the|not|about|nearly)[ \u00a0]\Z", re.IGNORECASE
)
"""What makes a range or an estimate of orders of magnitude: `within two orders of magnitude` says no hundred times."""


def _raise_powers(quote: str, *, bare: bool) -> str:
    """`quote` with powers raised as they may have been: `6.8*108` as 6.8*10⁸, and `10-29` as 10⁻²⁹.

    Orders of magnitude are as many powers of ten: `five orders of magnitude` are 100000 times, as `five orders larger`.
    """

    def write_power(found: re.Match[str]) -> str:
        if not bare and _CROSS.search(quote, max(0, found.start() - 4), found.start()) is None:
            return found[0]
        return "10^" + re.sub(r"\D", "-", found["power"])

    raised = _FLAT_POWER.sub(write_power, quote)
    return _ORDERS.sub(_write_out_orders, _LOST_MINUS.sub("\u207b", raised))


def _write_out_orders(found: re.Match[str]) -> str:
    count = found["count"].lower()
    number = int(count) if count.isdigit() else number_word(count)
    loose = _NO_MULTIPLE.search(found.string, max(0, found.start() - 12), found.start())
    return found[0] if number is None or loose else f"10^{number} times"


def _remove_glued_notes(quote: str) -> str:
    if _GLUED.search(quote) is None:  # searched for items, a passage takes forty times as long
        return quote
    found = list(_ITEM.finditer(quote))
    run: list[re.Match[str]] = []
    for item in (*found, None):
        if item is not None and (
            not run or (int(item["note"]) == int(run[-1]["note"]) + 1 and _AND.match(quote, run[-1].end()))
        ):
            run.append(item)
            continue
        words = [re.sub(r"^\W*(?:and|or|und|et)\s+", "", one["word"]).strip() for one in run]
        if len(run) > 1 and len(set(words)) == len(run) and re.search(r"[^\W\d_]$", run[0]["word"]):
            for one in reversed(run):
                quote = quote[: one.start("note")] + " " + quote[one.end("note") :]
        run = [] if item is None else [item]
    return quote


_FLAT_AREA: Final = re.compile(
    r"(?<=\d)[ \u00a0]?([cdk\u00b5\u03bcmn]?m|in|ft)[ \u00a0]([23])(?![\w\u00b2\u00b3]|[.,]\d)"
)


def read_lost_typesetting(quote: str) -> str:
    """`quote` as it was meant, as only a reader can tell: powers of units (`80 mm 2`), and fonts of older journals.

    PDFs give those fonts with 3 for a cross and 2 for a minus: `2 3 106` is 2*10^6, and `1028` is 10^-8.
    """
    raised = _FLAT_AREA.sub(r" \1^\2", quote)
    crossed = re.sub(r"(?<=\d)[ \u00a0]3[ \u00a0](?=10\d)", "\u00d7", raised)
    return re.sub(r"(?<![\d.,])10[ \u00a0]?2(\d{1,2})(?![\d.,]*\d)", r"10^-\1", crossed)
