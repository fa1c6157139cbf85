"""Which openCypher queries are run: those that can only read, by a list of what may stand in one.

Apache AGE reads a query out of the text of a SQL statement, can call any function of the server, and has clauses that
write. So every word of a query is looked at before the server sees it; that the transaction is read-only, ends by
itself and reaches the graph of one tenant alone does not depend on that.
"""

import json
import re
from collections.abc import Sequence
from typing import Final

from elcano.graphs.errors import CypherRefused
from elcano.graphs.frozen import Json

LONGEST: Final = 4_000
"""Characters of a query."""
MOST_COLUMNS: Final = 20

_TOKEN: Final = re.compile(
    r"""(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<quoted>`[^`]*`)"""
    r"""|(?P<parameter>\$[A-Za-z_]\w*)|(?P<word>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<space>\s+)|(?P<sign>.)""",
    re.DOTALL,
)
_CLAUSES_WORDS: Final = (
    "match optional where return with unwind as order by asc ascending desc descending skip limit distinct "
    "union all and or not xor in is null true false starts ends contains case when then else end exists"
)
_CLAUSES: Final = frozenset(_CLAUSES_WORDS.split())
_FUNCTIONS_WORDS: Final = (
    "count sum avg min max collect size length nodes relationships labels label type properties keys id head "
    "last tail range reverse coalesce tolower toupper trim substring split replace left right tostring "
    "tointeger tofloat abs round floor ceil exists startnode endnode"
)
_FUNCTIONS: Final = frozenset(_FUNCTIONS_WORDS.split())
_WRITES_WORDS: Final = "create merge set delete detach remove drop call load foreach yield into"
_WRITES: Final = frozenset(_WRITES_WORDS.split())
_NESTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"|::(?:vertex|edge|path|numeric)')
_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")


def require_reading(query: str) -> None:
    """Sees that a query can only read.

    Raises:
        CypherRefused: it has what may not stand in one; the text names it.
    """
    if not query.strip():
        raise CypherRefused("the query is empty")
    if len(query) > LONGEST:
        raise CypherRefused(f"the query has {len(query)} characters; {LONGEST} are the most")
    tokens = [found for found in _TOKEN.finditer(query) if found.lastgroup != "space"]
    for at, token in enumerate(tokens):
        before = tokens[at - 1].group() if at else ""
        after = tokens[at + 1].group() if at + 1 < len(tokens) else ""
        _require(token, before, after)
    if not any(token.group().casefold() == "return" for token in tokens):
        raise CypherRefused("the query returns nothing: it needs RETURN")


def require_columns(columns: Sequence[str]) -> None:
    """Sees that names of columns can be used.

    Raises:
        CypherRefused: there are none, too many, the same one twice, or one is no name.
    """
    if not 1 <= len(columns) <= MOST_COLUMNS or len(set(columns)) != len(columns):
        raise CypherRefused(f"name each value that RETURN gives, each differently, 1 to {MOST_COLUMNS}")
    if wrong := [name for name in columns if not _NAME.fullmatch(name)]:
        raise CypherRefused(f"{wrong[0]!r} cannot name a column: use lower-case letters, digits and `_`")


def value(written: str | None) -> Json:
    """What AGE writes as `agtype`, as JSON: nodes and edges lose the word behind them, numbers that are none are texts.

    Raises:
        ValueError: it is not written so.
    """
    if written is None:
        return None
    plain = _NESTED.sub(lambda found: found.group() if found.group().startswith('"') else "", written)
    read: Json = json.loads(plain, parse_constant=str)
    return read


def _require(token: re.Match[str], before: str, after: str) -> None:
    said, kind = token.group(), token.lastgroup
    if kind in ("quoted", "comment") or (kind == "sign" and said in "`;\\'\""):
        raise CypherRefused(f"{said[:40]!r} at character {token.start() + 1} may not stand in a query here")
    if kind == "sign" and said == "$":
        raise CypherRefused(f"`$` at character {token.start() + 1} is followed by no parameter's name")
    if kind != "word":
        return
    word = said.casefold()
    if before == ".":  # the name of a property, which can be like any word
        if after == "(":
            raise CypherRefused(f"{said!r}: functions of a schema may not be called")
        return
    if word in _WRITES and before != ":":
        raise CypherRefused(f"{said.upper()} writes or calls what is outside of the graph: queries here only read")
    if after == "(" and word not in _FUNCTIONS and word not in _CLAUSES:
        raise CypherRefused(f"there is no function {said!r} here; there are: {', '.join(sorted(_FUNCTIONS))}")
