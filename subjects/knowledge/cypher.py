"""Checks openCypher queries: only those that can only read are run, by a list of what they may contain.

Apache AGE reads a query out of the text of a SQL statement, can call any function of the server, and has clauses that
write. So every word of a query is looked at before the server sees it; that the transaction is read-only, ends by
itself and reaches the graph of one tenant alone does not depend on that.

Neither the server nor AGE bounds what a query makes of one value or of many rows. So nothing gathers rows into a list,
no text is searched for another one that is computed, and clauses repeat only so much of what the ones before them give.
"""

import json
import math
import re
from collections.abc import Sequence
from typing import Final

from elcano.graphs.errors import CypherRefused
from elcano.graphs.frozen import Json

LONGEST: Final = 4_000
"""Characters of a query."""
MOST_COLUMNS: Final = 20
MOST_COPIES: Final = 10_000
"""Maximum number of copies of one value of the graph in a value that a query makes, however its clauses repeat it."""

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
    "count sum avg min max size length nodes relationships labels label type properties keys id head "
    "last tail coalesce tolower toupper trim substring left right tostring "
    "tointeger tofloat abs round floor ceil exists startnode endnode"
)
_FUNCTIONS: Final = frozenset(_FUNCTIONS_WORDS.split())
_WRITES_WORDS: Final = "create merge set delete detach remove drop call load foreach yield into"
_WRITES: Final = frozenset(_WRITES_WORDS.split())
_GIVING: Final = frozenset({"with", "return", "unwind"})
"""Clauses that make values."""
_ENDING: Final = frozenset({"match", "optional", "where", "union"})
"""Clauses that end them."""
_NESTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"|::(?:vertex|edge|path|numeric)')
_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")


def require_reading(query: str) -> None:
    """Sees that a query can only read.

    Raises:
        CypherRefused: it contains something else; the text names it.
    """
    if not query.strip():
        raise CypherRefused("the query is empty")
    if len(query) > LONGEST:
        raise CypherRefused(f"the query has {len(query)} characters; {LONGEST} are the most")
    tokens = [found for found in _TOKEN.finditer(query) if found.lastgroup != "space"]
    for at, token in enumerate(tokens):
        _require_allowed_token(token, _get_token_text(tokens, at - 1), _get_token_text(tokens, at + 1))
        _require_bounded(tokens, at)
    if _count_copies(tokens) > MOST_COPIES:
        raise CypherRefused("the query repeats too much of what it defines before: return the values themselves")
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


def parse_agtype(written: str | None) -> Json:
    """Parse AGE's `agtype` as JSON: nodes and edges lose the word behind them, numbers that are none are texts.

    Raises:
        ValueError: it is not written so.
    """
    if written is None:
        return None
    plain = _NESTED.sub(lambda found: found.group() if found.group().startswith('"') else "", written)
    read: Json = json.loads(plain, parse_constant=str)
    return read


def _require_allowed_token(token: re.Match[str], before: str, after: str) -> None:
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


def _get_token_text(tokens: Sequence[re.Match[str]], at: int) -> str:
    return tokens[at].group() if 0 <= at < len(tokens) else ""


def _require_bounded(tokens: Sequence[re.Match[str]], at: int) -> None:
    """Refuse a sign or a word whose cost cannot be bounded."""
    said, before, after = _get_token_text(tokens, at), _get_token_text(tokens, at - 1), _get_token_text(tokens, at + 1)
    if tokens[at].lastgroup == "sign":
        if said == "|" and _get_token_text(tokens, at - 2) not in (":", "|"):
            raise CypherRefused("lists may not be made of lists (`|`): UNWIND them")
        if said == ":" and before == ":":
            raise CypherRefused("`::` may not stand in a query here: values have the types that they have")
        searched = at + 1 if said == "~" and before == "=" else 0
    else:
        searched = at + 1 if said.casefold() == "contains" and before != "." else 0
    if searched:
        if after.casefold() in ("tolower", "toupper") and _get_token_text(tokens, searched + 1) == "(":
            searched += 2
        if searched >= len(tokens) or tokens[searched].lastgroup not in ("text", "parameter"):
            raise CypherRefused("what a text is searched for has to be a text or a parameter")


def _count_copies(tokens: Sequence[re.Match[str]]) -> int:
    """Count how often a value may be in another: mentions in each clause, times those in the clauses before it."""
    mentions = [1]
    giving = False
    for at, token in enumerate(tokens):
        word, before, after = token.group().casefold(), _get_token_text(tokens, at - 1), _get_token_text(tokens, at + 1)
        if word in _GIVING and before.casefold() not in ("starts", "ends", ".", ":"):
            giving = True
            mentions.append(0)
        elif word in _ENDING and before not in (".", ":"):
            giving = False
        elif giving and (token.lastgroup == "parameter" or _is_variable(token, before, after)):
            mentions[-1] += 1
    return math.prod(max(1, each) for each in mentions)


def _is_variable(token: re.Match[str], before: str, after: str) -> bool:
    if token.lastgroup != "word" or before == "." or before.casefold() == "as" or after in ("(", ":"):
        return False
    return token.group().casefold() not in _CLAUSES
