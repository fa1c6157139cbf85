"""Corrects SQL that sqlglot would read or write otherwise than the database means it."""

import re
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from elcano.subjects.data.tables import Dialect

_AFFINITIES: Final = frozenset(
    kind
    for kind in exp.DataType.INTEGER_TYPES | exp.DataType.TEXT_TYPES | exp.DataType.FLOAT_TYPES | {exp.DType.BINARY}
)
"""Types that SQLite keeps as integers, texts, floating numbers or bytes; all others are numeric to it."""
_ODD_NUMBER: Final = re.compile(r"0[xX][\da-fA-F]+|0[bB][01]+|\d+(?:_\d+)+")


_ESCAPED: Final = re.compile(r"[eE]'|\$\w*\$")
_CODE: Final = re.compile(r"\\[xuU0-7]")


def write_plain_literals(sql: str, dialect: Dialect) -> str:
    r"""PostgreSQL's `1_000_000`, `0xFF` `E'a\nb'` and `$$it's$$` as plain numbers and texts.

    Of numbers sqlglot reads an alias behind 1, and a string of bits; of texts it writes again what had no escapes.
    Texts with the codes of characters stay as they are, and are refused: who writes SQL that is read has no need of
    them.
    """
    if dialect != "postgresql" or (_ODD_NUMBER.search(sql) is None and _ESCAPED.search(sql) is None):
        return sql
    parts, at = [], 0
    tokens = sqlglot.tokenize(sql, read="postgres")
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        grouped = following is not None and following.start == token.end + 1 and following.text.startswith("_")
        last = following if token.token_type == TokenType.NUMBER and grouped and following is not None else token
        written = sql[token.start : last.end + 1]
        if token.token_type == TokenType.HEREDOC_STRING or (
            token.token_type == TokenType.BYTE_STRING and not _CODE.search(written)
        ):
            quoted = token.text.replace("'", "''")
            parts += [sql[at : token.start], f" '{quoted}'"]
            at = token.end + 1
        if (last is not token or token.token_type in (TokenType.HEX_STRING, TokenType.BIT_STRING)) and (
            _ODD_NUMBER.fullmatch(written)
        ):
            parts += [sql[at : token.start], str(int(written, 0))]
            at = last.end + 1
    return "".join([*parts, sql[at:]])


def keep_meaning(tree: exp.Expr, dialect: Dialect) -> None:
    """Correct SQL that sqlglot would write otherwise than it read it.

    SQLite converts by the affinity of a type's name (https://sqlite.org/datatype3.html#determination_of_column_affinity):
    a cast to NUMERIC gives whole numbers where it can, and a cast to DATE the number that a text begins with.
    """
    if dialect == "sqlite":
        for cast in tree.find_all(exp.Cast):
            if cast.to.this not in _AFFINITIES:
                cast.set("to", exp.DataType(this=exp.DType.USERDEFINED, kind="NUMERIC"))
    if dialect == "duckdb":  # `f(profile -> 'plan')` reads a field of JSON; sqlglot takes it for a lambda
        for arrow in list(tree.find_all(exp.Lambda)):
            if isinstance(arrow.this, exp.Literal) and arrow.this.is_string and len(arrow.expressions) == 1:
                column = exp.Column(this=arrow.expressions[0].copy())
                arrow.replace(exp.JSONExtract(this=column, expression=arrow.this.copy()))
    if dialect == "postgresql":
        for node in list(tree.find_all(exp.Hex, exp.LowerHex)):
            node.replace(exp.Anonymous(this="to_hex", expressions=[node.this]))
