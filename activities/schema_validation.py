"""Validation against a JSON Schema that someone sent: nothing is fetched for it, and no value takes long.

Patterns are applied as JSON Schema defines them, but for a time; one that took too long once is not tried again.
Counted repeats multiply when a pattern is compiled, so they are bounded before. References are counted as they are
followed: a few that refer to each other could be followed forever. Multiples are those of the numbers as they are
written: 4.35 is one of 0.01, though no binary fraction is.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import regex
from jsonschema import Draft202012Validator
from jsonschema import ValidationError as SchemaMismatch
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from elcano.graphs.text import shorten_text

MOST_REFERENCES: Final = 20_000
"""References of a schema followed per validation."""
PATTERN_SECONDS: Final = 1.0
PATTERN_CHARACTERS: Final = 1_000
MOST_REPEATS: Final = 100_000
"""The product of a pattern's counted repeats: `(a{100}){100}` has 10,000, and a million take gigabytes."""
SHOWN_CHARACTERS: Final = 300
"""Maximum characters of a pattern or an error in a message."""
UNUSABLE: Final = (SchemaError, Unresolvable, RecursionError, ValueError, regex.error)
"""Exceptions that validation raises if the schema itself is unusable."""

_COUNTS: Final = re.compile(r"\{(?:\d{0,9},)?(\d{1,9})\}")
_NO_END: Final = re.compile(r"\{(\d{1,9}),\}")


def validate_schema(schema: Any) -> None:
    """Check a schema itself, by the draft that its `$schema` names, else by 2020-12.

    Raises:
        SchemaError: it is none.
    """
    validator_for(schema, default=Draft202012Validator).check_schema(schema)


def build_validator(schema: Any, more: Mapping[str, Any] | None = None, formats: bool = False) -> Validator:
    """A validator that is bounded in time; `more` has keywords that work otherwise, each made of the draft's own.

    Args:
        schema: It is taken to be valid.
        more: From the name of a keyword to a function of the draft's check that returns the check to use.
        formats: Whether `format` is checked, not only annotated.
    """
    kind: type[Validator] = validator_for(schema, default=Draft202012Validator)
    names = ("$ref", "$dynamicRef", "$recursiveRef")
    count = _build_counter()
    checks: dict[str, Any] = {name: count(kind.VALIDATORS[name]) for name in names if name in kind.VALIDATORS}
    patterns = _Patterns()
    checks |= {
        "pattern": patterns.check_text,
        "patternProperties": patterns.check_properties,
        "additionalProperties": patterns.check_others,
        "multipleOf": _check_multiple,
    }
    for name, change in (more or {}).items():
        if name in kind.VALIDATORS:
            checks[name] = change(checks.get(name, kind.VALIDATORS[name]))
    bounded = extend(kind, checks)  # type: ignore[no-untyped-call]
    given: dict[str, Any] = {"format_checker": kind.FORMAT_CHECKER} if formats else {}
    made: Validator = bounded(schema, registry=Registry(), **given)
    return made


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> "regex.Pattern[str]":
    """Compile a pattern whose size is bounded.

    Raises:
        ValueError: it is too large.
        regex.error: it is no pattern.
    """
    if len(pattern) > PATTERN_CHARACTERS:
        raise ValueError(f"a pattern of {len(pattern):,} characters is longer than {PATTERN_CHARACTERS:,}")
    counts = (max(1, int(one)) for one in (*_COUNTS.findall(pattern), *_NO_END.findall(pattern)))
    if math.prod(counts) > MOST_REPEATS:
        raise ValueError(f"the counted repeats of its pattern come to more than {MOST_REPEATS:,}")
    return regex.compile(pattern)


class _Patterns:
    """Applies the patterns of one schema."""

    def __init__(self) -> None:
        self._slow: set[str] = set()

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern is found in a text.

        Raises:
            SchemaError: finding that out takes too long.
        """
        try:
            if pattern not in self._slow:
                return compile_pattern(pattern).search(text, timeout=PATTERN_SECONDS) is not None
        except TimeoutError:  # the next text would take as long
            self._slow.add(pattern)
        raise SchemaError(f"its pattern {shorten_text(pattern, SHOWN_CHARACTERS)!r} takes over {PATTERN_SECONDS:g} s")

    def check_text(self, _: Validator, pattern: str, instance: object, __: Any) -> Iterator[SchemaMismatch]:
        """`pattern`."""
        if isinstance(instance, str) and not self.matches(pattern, instance):
            yield SchemaMismatch(f"it does not match {shorten_text(pattern, SHOWN_CHARACTERS)!r}")

    def check_properties(
        self, validator: Any, patterns: Mapping[str, Any], instance: object, _: Any
    ) -> Iterator[SchemaMismatch]:
        """`patternProperties`."""
        if not isinstance(instance, dict):
            return
        for pattern, schema in patterns.items():
            for name, value in instance.items():
                if self.matches(pattern, name):
                    yield from validator.descend(value, schema, path=name, schema_path=pattern)

    def check_others(
        self, validator: Any, others: Any, instance: object, schema: Mapping[str, Any]
    ) -> Iterator[SchemaMismatch]:
        """`additionalProperties`: what neither `properties` nor `patternProperties` names."""
        if not isinstance(instance, dict):
            return
        named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        for name, value in instance.items():
            if name in named or any(self.matches(pattern, name) for pattern in patterns):
                continue
            if others is False:
                yield SchemaMismatch(f"{shorten_text(name, SHOWN_CHARACTERS)!r} is no property of it")
            else:
                yield from validator.descend(value, others, path=name)


def _check_multiple(validator: Validator, step: float, instance: Any, _: object) -> Iterator[SchemaMismatch]:
    """`multipleOf`."""
    if not validator.is_type(instance, "number"):
        return
    if (isinstance(instance, float) and not math.isfinite(instance)) or _read_exactly(instance) % _read_exactly(step):
        yield SchemaMismatch(f"{instance!r} is not a multiple of {step!r}")


def _read_exactly(number: float) -> Fraction:
    """The number that a text of JSON said, which `repr` gives back, and not the binary fraction next to it."""
    return Fraction(number if isinstance(number, int) else repr(number))


def _build_counter() -> Callable[[Any], Any]:
    left = iter(range(MOST_REFERENCES))

    def count(follow: Any) -> Any:
        def follow_counted(*given: Any) -> Any:
            if next(left, None) is None:
                raise SchemaError(f"more than {MOST_REFERENCES:,} references would have to be followed")
            return follow(*given)

        return follow_counted

    return count
