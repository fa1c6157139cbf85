"""Digits that point somewhere and count nothing: addresses, marks of footnotes, numbers of tables and pictures.

They are blanked, each character by a space, so that places in the text stay what they are. Only a statement is read
without them: in a quote brackets may hold an interval, and one figure more does no harm.
"""

import re
from typing import Final

_LABELS: Final = (
    "fig figs figure figures table tables tab eq eqs equation chapter chap section sect sec appendix app p pp page ref "
    "refs abb abbildung tabelle kapitel abschnitt anhang seite figura tabla tableau tabella chapitre capitulo "
    "cap\u00edtulo hoofdstuk"
)
_POINTERS: Final = re.compile(
    r"(?:https?://|www\.|doi:)[^\s<>\"']+|\b10\.\d{4,9}/[^\s<>\"']+"
    r"|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
    r"|(?<!CI )(?<!CI: )(?<!CI, )(?<!interval )(?<!range )(?<!= )(?<!\d )\[\d{1,3}(?:\s?[,;\u2013-]\s?\d{1,3})*\]"
    rf"|\b(?i:{'|'.join(_LABELS.split())})\b\.?[\s\u00a0]?\d{{1,3}}(?:[.\u2013-]\d{{1,3}})*[a-z]?\b"
    r"(?!\s?[%\u2030])"
)
_DATE: Final = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.((?:1[5-9]|20)\d\d)(?!\d)")


def without_pointers(text: str) -> str:
    """`text`, as long as it is, without digits that count nothing."""
    return _POINTERS.sub(lambda found: " " * len(found[0]), text)


def dates_parted(text: str) -> str:
    """`text`, as long as it is, with strokes for the points of dates, since the parts of a date are figures."""
    return _DATE.sub(r"\1/\2/\3", text)
