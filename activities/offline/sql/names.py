"""The names of a schema as questions say them: `citation_num` is the number of citations, `sbCustJoinDate` a join date.

A prefix that all columns of a table share is no word of theirs. Nothing is guessed by likeness here: a name is said in
full, without its table's words, or without the word that only says what it counts or holds.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from elcano.activities.offline.sql.wording import cut, root, singular, tokens
from elcano.graphs.data.schema import MOMENTS, NUMBERS, ColumnSchema, DatabaseSchema, TableSchema

Role: TypeAlias = Literal["table", "column", "quantity", "flag", "value"]

_COUNTING: Final = frozenset({"number", "count", "total", "quantity"})
_HOLDING: Final = frozenset({"date", "time", "timestamp", "datetime", "at", "on", "day"})
_FLAGGING: Final = frozenset({"has", "is", "had", "was", "have", "allow"})
_UNITS: Final = frozenset({"mile", "minute", "hour", "second", "kg", "km", "lb", "feet", "usd", "eur", "meter", "pct"})
_ABBREVIATED: Final = {
    "num": "number", "no": "number", "qty": "quantity", "amt": "amount", "cnt": "count", "dept": "department",
    "addr": "address", "desc": "description", "yr": "year", "ccy": "currency", "emp": "employee", "dt": "date",
    "ts": "timestamp", "org": "organization", "tel": "phone", "pct": "percent", "avg": "average", "nbr": "number",
    "acct": "account", "cat": "category", "prod": "product", "txn": "transaction", "tx": "transaction", "nr": "number",
}  # fmt: skip
_COUNTED: Final = re.compile(r"(?:the )?(?:total )?number of\b", re.IGNORECASE)
_NUMBER_OF: Final = re.compile(r"(?:the )?(?:total )?number of (?:all )?(\w+)", re.IGNORECASE)
_YES: Final = frozenset({"yes", "y", "true", "t", "1"})
_NO: Final = frozenset({"no", "n", "false", "f", "0"})
LONGEST_VALUE: Final = 8
"""Words of a value that is looked for in a question."""


@dataclass(frozen=True)
class Column:
    """One column, by its table."""

    table: str
    schema: ColumnSchema = field(compare=False)
    name: str
    words: tuple[str, ...] = field(compare=False)

    @property
    def numeric(self) -> bool:
        """Whether it can be added up. Keys are numbers of nothing."""
        return self.schema.kind in NUMBERS and not self.identifying

    @property
    def moment(self) -> bool:
        """Whether it holds dates."""
        return self.schema.kind in MOMENTS

    @property
    def identifying(self) -> bool:
        """Whether its name says that it names rows."""
        last = self.words[-1] if self.words else ""
        if last == "number" and cut(self.name)[-1] == "number":
            return True
        return last in ("id", "code", "key", "uuid", "guid") or self.words == ("number",) or _short_key(self.name)

    @property
    def flag(self) -> tuple[str, str] | None:
        """The values for yes and no of a column that says nothing else; None: it says something else."""
        values = {value.strip().lower(): value for value in self.schema.samples}
        if self.schema.kind == "boolean":
            return "", ""
        if self.schema.kind == "integer" and set(values) and set(values) <= {"0", "1"} and self.words[0] in _FLAGGING:
            return "1", "0"
        if not values or len(values) > 2 or not set(values) <= _YES | _NO or self.schema.kind in NUMBERS:
            return None
        yes = next((values[one] for one in values if one in _YES), None)
        no = next((values[one] for one in values if one in _NO), None)
        return None if yes is None and no is None else (yes or "", no or "")

    def __str__(self) -> str:
        return f"{self.table}.{self.name}"


@dataclass(frozen=True)
class Meaning:
    """What words of a question may be."""

    role: Role
    table: str
    column: Column | None = None
    literal: str = ""
    """Of a value: as the database writes it."""
    weak: bool = False
    """Whether it is said without words that its name has: its table has to be named beside it."""


class Names:
    """All that a question can name of one schema."""

    def __init__(self, schema: DatabaseSchema) -> None:
        self.schema = schema
        self.tables: dict[str, TableSchema] = {table.name: table for table in schema.tables}
        self.said: dict[str, tuple[str, ...]] = _table_words(schema.tables)
        """The words of each table."""
        self.columns: dict[str, tuple[Column, ...]] = {
            table.name: _columns(table, self.said) for table in schema.tables
        }
        whole = {name: self._key(name, frozenset()) for name in self.tables}
        taken = frozenset(
            key.name.lower() for name, key in whole.items() if key and _names_rows_of(key, self.said[name])
        )
        self._keys = {name: self._key(name, taken) for name in self.tables}
        self._phrases: dict[str, list[Meaning]] = defaultdict(list)
        self._values: dict[tuple[str, ...], list[Meaning]] = defaultdict(list)
        for name, words in self.said.items():
            self._phrases["".join(words)].append(Meaning("table", name))
            for column in self.columns[name]:
                self._add(column, words)

    def named(self, words: Sequence[str]) -> tuple[Meaning, ...]:
        """Tables and columns that `words` are the name of, in full or without words that tell nothing."""
        return tuple(self._phrases.get("".join(words), ()))

    def valued(self, words: Sequence[str]) -> tuple[Meaning, ...]:
        """Sample values that are written with these words, apart from case and plural."""
        return tuple(self._values.get(tuple(words), ()))

    def column(self, table: str, name: str) -> Column | None:
        """One column by its name."""
        return next((one for one in self.columns.get(table, ()) if one.name == name), None)

    def display(self, table: str) -> tuple[Column, ...]:
        """The columns by which people know the rows of a table: its name or title, or both names, or its key."""
        columns = self.columns[table]
        said = self.said[table]
        for wanted in (("name",), ("title",), (*said, "name"), (*said, "title"), ("full", "name"), ("label",)):
            if found := [one for one in columns if one.words == wanted]:
                return (found[0],)
        both = [one for one in columns if "".join(one.words) in ("firstname", "lastname", "surname", "forename")]
        if len(both) == 2:
            return tuple(both)
        if own := [one for one in columns if one.words == said and one.schema.kind == "text"]:
            return (own[0],)
        return tuple(key for key in (self.key(table),) if key is not None)

    def key(self, table: str) -> Column | None:
        """The one column that tells the rows of a table apart; None: there is none, or nobody knows."""
        return self._keys[table]

    def _key(self, table: str, taken: frozenset[str]) -> Column | None:
        """The declared key, or a column with as many values as there are rows that is called after its table.

        `taken` are the names of keys that are called after a whole name of another table.
        """
        schema, said = self.tables[table], self.said[table]
        if schema.primary_key:
            return self.column(table, schema.primary_key[0]) if len(schema.primary_key) == 1 else None
        if not schema.rows or schema.estimated:
            return None
        unique = [one for one in self.columns[table] if one.schema.distinct == schema.rows and one.identifying]
        whole = [one for one in unique if _names_rows_of(one, said)]
        last = [one for one in unique if one.words[:-1] == said[-1:] and one.name.lower() not in taken]
        found = whole or last
        return found[0] if found else None

    def _add(self, column: Column, table_words: tuple[str, ...]) -> None:
        own = self._keys[column.table] == column
        for form, meaning in _forms(column, table_words, own).items():
            self._phrases["".join(form)].append(meaning)
        if column.schema.kind in (*NUMBERS, *MOMENTS, "time", "boolean") or column.flag is not None:
            return
        for sample in column.schema.samples:
            parts = tuple(token.base for token in tokens(sample) if token.kind != "mark")
            if 0 < len(parts) <= LONGEST_VALUE:
                self._values[parts].append(Meaning("value", column.table, column, sample))


def _forms(column: Column, table_words: tuple[str, ...], own: bool) -> dict[tuple[str, ...], Meaning]:
    """All ways to say a column; `own`: it is the key of its table."""
    words = column.words
    said: list[tuple[tuple[str, ...], Role, bool]] = []
    if column.numeric and _COUNTED.match(column.schema.comment):
        said.append((words, "quantity", False))
    said += [(words, "column", False), ((*table_words, *words), "column", False)]
    if _short_key(column.name) and own:
        said += [((*table_words, "id"), "column", False), (("id",), "column", True)]
    if column.flag is not None:
        said.append((_without(words, _FLAGGING), "flag", False))
        said.append((_without(words, {*_FLAGGING, "required"}), "flag", True))
    said += _numbered(column) if column.numeric else []
    if words[: len(table_words)] == table_words:
        said.append((words[len(table_words) :], "column", True))
    if words[-1:] in (("name",), ("title",)) and words[:-1] != table_words:
        said.append((words[:-1], "column", False))
    if column.moment or column.schema.kind == "time":
        said.append((_without(words, _HOLDING), "column", True))
    if column.schema.kind == "text" and words[-1:] not in (("name",), ("id",), ("code",)):
        said.append(((*words, "number" if words[-1:] == ("phone",) else "name"), "column", False))
    forms: dict[tuple[str, ...], Meaning] = {}
    for form, role, weak in said:
        if form:
            forms.setdefault(form, Meaning(role, column.table, column, weak=weak))
    return forms


def _numbered(column: Column) -> list[tuple[tuple[str, ...], Role, bool]]:
    """How a number is said: without the word that says that it is one, without its unit or with it apart."""
    words = column.words
    found: list[tuple[tuple[str, ...], Role, bool]] = [
        (_without(words, _COUNTING), "quantity", False),
        (_without(words, _UNITS), "column", False),
    ]
    if words[-1] in _UNITS:
        found.append(((*words[:-1], "in", words[-1]), "column", False))
    return found


def _without(words: Iterable[str], left_out: Container[str]) -> tuple[str, ...]:
    return tuple(one for one in words if one not in left_out)


def _short_key(name: str) -> bool:
    return len(name) == 3 and name.lower().endswith("id")


def _names_rows_of(column: Column, table_words: tuple[str, ...]) -> bool:
    """Whether a key is called after its table: `id`, `course_id` of courses, `aid` of authors."""
    if column.words[:-1] in ((), table_words):
        short = _short_key(column.name)
        return not short or (len(table_words) == 1 and column.name[0].lower() == table_words[0][0])
    return False


def _table_words(tables: Sequence[TableSchema]) -> dict[str, tuple[str, ...]]:
    said = {table.name: tuple(_spelled(word) for word in cut(table.name.rpartition(".")[2])) for table in tables}
    while len(said) > 1 and all(len(words) > 1 for words in said.values()):
        if len({words[0] for words in said.values()}) > 1:
            break
        said = {name: words[1:] for name, words in said.items()}
    return {name: words or (name.lower(),) for name, words in said.items()}


def _columns(table: TableSchema, said: dict[str, tuple[str, ...]]) -> tuple[Column, ...]:
    words = {column.name: cut(column.name) or (column.name.lower(),) for column in table.columns}
    while len(words) > 2 and all(len(one) > 1 for one in words.values()):
        if len({one[0] for one in words.values()}) > 1:
            break
        words = {name: one[1:] for name, one in words.items()}
    known = {word for one in said.values() for word in one}
    return tuple(
        Column(table.name, column, column.name, tuple(_whole(one, known) for one in words[column.name]))
        for column in table.columns
    )


def _spelled(word: str) -> str:
    return _ABBREVIATED.get(word, word)


def _whole(word: str, known: set[str]) -> str:
    """An abbreviation spelled out, by custom or because a single word of the tables begins like it."""
    if word in _ABBREVIATED:
        return _ABBREVIATED[word]
    longer = {one for one in known if len(word) >= 3 and one.startswith(word)}
    return longer.pop() if len(longer) == 1 else word


def counts(column: Column) -> str:
    """The first word of what a column is the number of, by its comment; empty if it does not say."""
    found = _NUMBER_OF.match(column.schema.comment)
    return singular(found[1].lower()) if found else ""


def said_by(column: Column) -> frozenset[str]:
    """Roots of the words that speak of a column: of its name, and of what its comment says."""
    words = (*column.words, *(token.base for token in tokens(column.schema.comment) if token.kind == "word"))
    return frozenset(root(word) for word in words)
