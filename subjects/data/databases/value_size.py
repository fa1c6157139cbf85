"""The size of a text or a number that a query may make, and how functions that write texts change it."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from sqlglot import exp

from elcano.subjects.data.databases.allowed import literal_text

FACTORS: Final[Mapping[type[exp.Expr], int]] = {
    exp.Hex: 2,
    exp.LowerHex: 2,
    exp.ToBase64: 2,
    exp.Encode: 4,
    exp.Decode: 4,
    exp.Normalize: 18,
}
"""Characters that one may become; those of Unicode normal forms: https://unicode.org/faq/normalization.html#12."""
HASHES: Final = (exp.MD5, exp.SHA, exp.SHA2, exp.MD5Digest, exp.SHA1Digest, exp.SHA2Digest)
WIDEST: Final = 1_000
"""Characters of one value in a format."""
_AGAIN: Final = re.compile(r"\$|\{\d")
"""Reference to an argument of a format, which may therefore be printed more than once."""
_ESCAPERS: Final = (
    "json_build_object json_build_array jsonb_build_object jsonb_build_array to_json to_jsonb row_to_json "
    "json_quote json_array json_object quote quote_literal quote_ident quote_nullable json_set json_insert "
    "json_replace"
)
_ESCAPING: Final = frozenset(_ESCAPERS.split())


class Size(NamedTuple):
    """Maximum length of a value."""

    copies: int = 0
    """Stored values that it holds."""
    characters: int = 0
    """Further characters."""
    powers: int = 0
    """Numbers in it that may have any number of figures."""


def estimate_written_value(node: exp.Expr, each: list[Size]) -> Size | None:
    """Return the size of a function that writes its arguments into one text; None for any other."""
    name = str(node.this).lower() if isinstance(node, exp.Anonymous) else ""
    if isinstance(node, exp.Format) or name == "printf":
        written = literal_text(node.this if isinstance(node, exp.Format) else node.expressions[0]) or ""
        fields = sum(written.count(sign) for sign in "%{")
        arguments = multiply_size(sum_sizes(each), fields if _AGAIN.search(written) else 1)
        return arguments._replace(characters=arguments.characters + WIDEST * fields)
    if name in ("array_replace", "ts_headline"):  # the options of a headline mark each word that it has
        longest = max((_count_at_most(one) for one in each[1 if name == "array_replace" else 2 :]), default=0)
        return multiply_size(sum_sizes(each), 1 + longest)
    if isinstance(node, exp.JSONObject | exp.JSONArray | exp.ParseJSON) or name in _ESCAPING:
        return sum_sizes(_escape_size(size) for size in each)
    return None


def _count_at_most(size: Size) -> int:
    """Return the length of a value that is put in many times; of what is stored, more than any query may have."""
    return size.characters + WIDEST * size.copies


def _escape_size(size: Size) -> Size:
    """Return the size of a text in quotation marks; escaped again, each escaped sign takes twice as much."""
    if size.copies <= 1 and not size.characters:
        return size._replace(characters=2)
    return multiply_size(size, 2)


def multiply_size(size: Size, factor: int) -> Size:
    """Return the size of `factor` such values."""
    return size._replace(copies=size.copies * max(1, factor), characters=size.characters * max(1, factor))


def sum_sizes(sizes: Iterable[Size]) -> Size:
    """Return the size of all values together."""
    listed = list(sizes)
    return Size(*(sum(parts) for parts in zip(*listed, strict=True))) if listed else Size()


def take_longest_size(sizes: Iterable[Size]) -> Size:
    """Return a size that none of the values exceeds."""
    listed = list(sizes)
    return Size(*(max(parts) for parts in zip(*listed, strict=True))) if listed else Size()
