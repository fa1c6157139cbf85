"""Whether the numbers of an answer follow from results: each names its cells, and code does its arithmetic again.

What is compared are as many digits as the words show, rounded half up or half to even. Nothing is looked up by its
looks: the same digits in another cell prove nothing, and what names no cell is unproven. What the question itself says
is given, and said to be; a passage of a document proves what is quoted of it.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, InvalidOperation, localcontext
from typing import Final, TypeAlias

from elcano.subjects.data.answering.arithmetic import (
    NotComputed,
    compute_proof,
    describe_cautions,
    get_only_cell,
    number_in,
)
from elcano.subjects.data.data_answer import NumberProof, NumberStatus, NumberVerdict, Operation
from elcano.subjects.data.tables import ResultTable
from elcano.text.amounts import Number
from elcano.text.units import PER_MILLE, POINTS, SHARE
from elcano.text.written_dates import Moment, parse_stored_moment
from elcano.text.written_numbers import find_numbers

PERCENTAGES: Final[frozenset[Operation]] = frozenset({"share", "change"})
_PRECISION: Final = 200
_MOST_NAMES: Final = 200_000
_NAME: Final = re.compile(r"[^\W_](?:[\w./\u2010\u2011-]*[^\W_])?")
_SPACE: Final = r"\s+"
_YEARS: Final = (1000, 2999)
_Placed: TypeAlias = tuple[NumberProof, list[tuple[int, int]]]
"""A proof, and where its words stand."""


@dataclass(frozen=True)
class GivenNumbers:
    """Numbers that may be used without a cell."""

    by: str
    """The origin, such as `the question`."""
    text: str


@dataclass
class ProofCheck:
    """All that numbers of one answer are held against."""

    proofs: Sequence[NumberProof]
    results: Sequence[ResultTable]
    given: Sequence[GivenNumbers] = ()
    language: str = ""
    """The language of the answer, ISO 639-1; empty: unknown."""
    _said: list[tuple[str, Number]] = field(init=False)
    _names: Mapping[str, str] = field(init=False)
    _patterns: Mapping[str, re.Pattern[str] | None] = field(init=False)

    def __post_init__(self) -> None:
        self._said = [(one.by, number) for one in self.given for number in find_numbers(one.text, self.language)]
        self._names = dict(self._all_names())
        self._patterns = {proof.text: _compile_words_pattern(proof.text) for proof in self.proofs}

    def verdicts(self, text: str, quotes: Sequence[str] = ()) -> tuple[NumberVerdict, ...]:
        """Return a verdict on each number of a statement, in order; `quotes` are its quotes from documents."""
        found = find_numbers(text, self.language)
        quoted = [number for quote in quotes for number in find_numbers(quote, self.language)]
        placed = [(proof, spans) for proof in self.proofs if (spans := self._places(proof, text))] if found else []
        return tuple(self._verdict(text, one, found, quoted, placed) for one in found)

    def holding(self) -> Iterator[NumberProof]:
        """The proofs that prove their own words."""
        for proof in self.proofs:
            found = find_numbers(proof.text, self.language)
            if len(found) > 1 and not _is_name_of_cell(proof, self.results):
                continue
            if found and all(self._checked(proof, one, proof.text)[0] for one in found):
                yield proof

    def _verdict(
        self, text: str, one: Number, all_of: Sequence[Number], quoted: Sequence[Number], placed: Sequence[_Placed]
    ) -> NumberVerdict:
        naming = [(proof, span) for proof, spans in placed for span in spans if _is_overlapping(span, one)]
        longest = max((len(proof.text) for proof, _ in naming), default=0)  # the most words around it name it best
        checked = [
            (proof, *self._proves(proof, span, one, all_of, text))
            for proof, span in naming
            if len(proof.text) == longest
        ]
        for proof, holds, reason, value in sorted(checked, key=lambda each: each[1]):  # one that fails says so first
            return NumberVerdict(
                text=one.text,
                statement=text,
                status="proven" if holds else "wrong",
                reason=reason,
                operation=proof.operation,
                cells=proof.cells,
                value=value,
            )
        status, reason = self._without_proof(one, quoted)
        return NumberVerdict(text=one.text, statement=text, status=status, reason=reason)

    def _places(self, proof: NumberProof, text: str) -> list[tuple[int, int]]:
        pattern = self._patterns[proof.text]
        return [] if pattern is None else [found.span() for found in pattern.finditer(text)]

    def _proves(
        self, proof: NumberProof, span: tuple[int, int], one: Number, all_of: Sequence[Number], text: str
    ) -> tuple[bool, str, str]:
        inside = sum(_is_overlapping(span, other) for other in all_of)
        if inside > 1 and not _is_name_of_cell(proof, self.results):
            fault = f"the words that name its cells hold {inside} numbers: “{proof.text}”; name each by itself"
            return False, fault, ""
        return self._checked(proof, one, text)

    def _checked(self, proof: NumberProof, one: Number, text: str) -> tuple[bool, str, str]:
        """Return whether a proof gives a number as it is shown, a remark on that, and the value it gives."""
        try:
            if proof.operation == "cell" and (outcome := self._as_cell(proof, one)) is not None:
                return outcome
            if one.name or one.moments:
                return False, "it is a name or a date, and what it names is a number", ""
            value = compute_proof(proof, self.results)
        except NotComputed as error:
            return False, str(error), ""
        written = _format_decimal(value)
        if proof.operation in PERCENTAGES and one.ratio_unit not in (SHARE, PER_MILLE):
            return False, f"a {proof.operation} is a percentage, {written} %, and the words do not say percent", written
        if (
            proof.operation == "change"
            and not one.signed
            and value
            and is_described_as_decrease(text, one.start, one.end) == (value > 0)
        ):
            return False, f"the words have it the other way: the change is {written} %", written
        if any(_shown_as(one, reading) for reading in _iter_written_values(value, one, proof.operation, text)):
            return True, describe_cautions(proof, self.results), written
        return False, f"the cells that it names give {written}", written

    def _as_cell(self, proof: NumberProof, one: Number) -> tuple[bool, str, str] | None:
        """The verdict on a single cell that is no number, or whose place is meant; None: it is one like any other."""
        cell = get_only_cell(proof, self.results)
        value = number_in(cell)
        if one.ordinal and cell.row in _list_integer_readings(one):
            return True, "", str(cell.row)
        if value is not None and not one.moments and not one.name:
            return None
        if cell.value is None:
            raise NotComputed(f"the cell that it names in row {cell.row} is NULL")
        said = str(cell.value)
        moment = parse_stored_moment(said)
        if moment is not None and (one.moments or _is_year(one)):
            readings = one.moments or tuple(Moment(year=year) for year in _list_integer_readings(one))
            holds = any(reading.holds_of(moment) for reading in readings)
            return holds, "" if holds else f"the cell that it names says “{said}”", said
        for words in (proof.text, one.name or one.text):
            if (
                next(_find_word_spans(_normalise_name(words), _normalise_name(said)), None) is not None
                and one.text in words
            ):
                return True, "", said
        return False, f"the cell that it names says “{said[:100]}”", said[:100]

    def _without_proof(self, one: Number, quoted: Sequence[Number]) -> tuple[NumberStatus, str]:
        if any(_is_same_number(one, other) for other in quoted):
            return "quoted", "a passage that is quoted there says it"
        for by, other in self._said:
            if _is_same_number(one, other):
                return "given", f"{by} says it"
        if one.name and (where := self._names.get(_normalise_name(one.name))):
            return "named", where
        return "unproven", "it names no cell of a result"

    def _all_names(self) -> Iterator[tuple[str, str]]:
        """Words with digits and letters of all texts that a reader is shown, with where they stand."""
        left = _MOST_NAMES
        for number, table in enumerate(self.results, start=1):
            for column in table.columns:
                yield from _names_in(column.name, f"a column of result {number} is called so")
            for row in table.rows:
                for cell in row:
                    left -= 1
                    if isinstance(cell, str) and left > 0:
                        yield from _names_in(cell, f"result {number} names it")
        for one in self.given:
            yield from _names_in(one.text, f"{one.by} names it")


def _iter_written_values(value: Decimal, one: Number, operation: Operation, text: str) -> Iterator[Decimal]:
    """Yield the forms in which a value may be written: a share as percent, a negative value without its sign."""
    as_percent = one.ratio_unit in (SHARE, PER_MILLE, POINTS)
    factors = [Decimal(1)]
    if as_percent and operation not in PERCENTAGES:
        factors = [Decimal(100)] if operation == "ratio" else [Decimal(1), Decimal(100)]
    if one.ratio_unit == PER_MILLE:
        factors = [factor * 10 for factor in factors]
    for factor in factors:
        yield value * factor
        if (
            value < 0
            and not one.signed
            and (operation == "difference" or is_described_as_decrease(text, one.start, one.end))
        ):
            yield -value * factor


def _shown_as(one: Number, value: Decimal) -> bool:
    """Whether `value`, rounded to as many digits as the number shows, is the number."""
    with localcontext() as context:
        context.prec = _PRECISION
        for reading in one.readings:
            for way in (ROUND_HALF_EVEN, ROUND_HALF_UP):
                try:
                    if (value / reading.step).quantize(Decimal(1), rounding=way) * reading.step == reading.value:
                        return True
                except InvalidOperation:  # more digits than any number of a result has
                    continue
    return False


def _is_same_number(one: Number, other: Number) -> bool:
    """Whether two numbers say the same, however they are written."""
    if one.name or other.name:
        return bool(one.name) and _normalise_name(one.name) == _normalise_name(other.name)
    if one.moments or other.moments:
        shared = set(one.moments) & set(other.moments)
        years = {moment.year for moment in other.moments}
        return bool(shared) or (_is_year(one) and bool(years & set(_list_integer_readings(one))))
    values = {reading.value for reading in one.readings}
    return one.ratio_unit == other.ratio_unit and any(reading.value in values for reading in other.readings)


def _is_year(one: Number) -> bool:
    return not one.ratio_unit and any(_YEARS[0] <= value <= _YEARS[1] for value in _list_integer_readings(one))


def _list_integer_readings(one: Number) -> tuple[int, ...]:
    return tuple(int(one.value) for one in one.readings if one.value == one.value.to_integral_value())


def _find_word_spans(words: str, text: str) -> Iterator[tuple[int, int]]:
    """Find the spans of `words` in `text` that cut no number and no word with digits."""
    pattern = _compile_words_pattern(words)
    return iter(()) if pattern is None else (found.span() for found in pattern.finditer(text))


def _compile_words_pattern(words: str) -> re.Pattern[str] | None:
    """Compile the pattern that finds `words`; None: there are none."""
    wanted = words.split()
    if not wanted:
        return None
    before = r"(?<![^\W_])(?<!\d[.,])" if wanted[0][0].isalnum() else ""
    behind = r"(?![^\W_])(?![.,]\d)" if wanted[-1][-1].isalnum() else ""
    return re.compile(f"{before}{_SPACE.join(map(re.escape, wanted))}{behind}")


def _is_overlapping(span: tuple[int, int], one: Number) -> bool:
    return span[0] < one.end and one.start < span[1]


def _is_name_of_cell(proof: NumberProof, results: Sequence[ResultTable]) -> bool:
    """Return whether a proof's text is in the text of the one cell that it names, whatever digits it contains."""
    if proof.operation != "cell":
        return False
    try:
        value = get_only_cell(proof, results).value
    except NotComputed:
        return False
    return (
        isinstance(value, str)
        and next(_find_word_spans(_normalise_name(proof.text), _normalise_name(value)), None) is not None
    )


def _names_in(text: str, where: str) -> Iterator[tuple[str, str]]:
    for found in _NAME.finditer(text):
        word = found[0]
        if any(one.isdigit() for one in word) and any(one.isalpha() for one in word):
            yield _normalise_name(word), where


def _normalise_name(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _format_decimal(value: Decimal) -> str:
    """A number as people write it, to at most 20 digits."""
    rounded = Context(prec=20).plus(value)
    written = format(rounded.normalize(Context(prec=20)), "f")
    return written if len(written) <= 60 else f"{rounded:.12g}"


_RISING: Final = (
    r"rose|rises?|rising|risen|increas\w*|grew|grow\w*|gain\w*|up|climb\w*|higher|stieg\w*|gestiegen|steig\w*|wuchs\w*|"
    r"gewachsen|wächst|zunahme|zugenommen|höher\w*|augment\w*|hausse|progress\w*|supérieur\w*|aument\w*|crec\w*|"
    r"subi\w*|mayor"
)
_FALLING: Final = (
    r"fell|falls?|fallen|falling|decreas\w*|declin\w*|drop\w*|down|lower\w*|loss\w*|lost|shr[aiu]nk\w*|below|minus|"
    r"deficit\w*|negative|reduc\w*|sank\w*|gesunken|sink\w*|fiel\w*|gefallen|niedriger\w*|rückgang\w*|abnahme|"
    r"abgenommen|verlust\w*|baiss\w*|diminu\w*|recul\w*|inférieur\w*|perte\w*|disminu\w*|cay\w*|caíd\w*|baj\w*|"
    r"descen\w*|pérdida\w*|menor"
)
_BEFORE: Final = re.compile(rf"\b(?:(?P<up>{_RISING})|(?P<down>{_FALLING}))\b", re.IGNORECASE)
_BEHIND: Final = re.compile(
    rf"\b(?:(?P<up>{_RISING}|more|mehr|plus|más)|(?P<down>{_FALLING}|less|fewer|weniger|moins|menos))\b", re.IGNORECASE
)
_SENTENCE: Final = re.compile(r"[.;!?](?:\s|$)")


def is_described_as_decrease(text: str, start: int, end: int) -> bool | None:
    """Whether the words around a number, from `start` to `end`, say that something went down; None: they do not say.

    The nearest word of its sentence counts.
    """
    begins = max((found.end() for found in _SENTENCE.finditer(text, 0, start)), default=0)
    closes = _SENTENCE.search(text, end)
    before = [(start - found.end(), found) for found in _BEFORE.finditer(text, begins, start)]
    behind = [
        (found.start() - end, found) for found in _BEHIND.finditer(text, end, closes.start() if closes else len(text))
    ]
    nearest = min((*before, *behind), key=lambda one: one[0], default=None)
    return None if nearest is None else nearest[1]["down"] is not None
