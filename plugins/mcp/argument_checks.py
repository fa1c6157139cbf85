"""Arguments of a tool, validated against its JSON schema: every fault, each with its location.

The schema is the server's and may be anything: nothing is fetched for it, and its patterns get little time.
"""

from collections.abc import Iterator
from typing import Any, Final

import regex
from jsonschema import Draft202012Validator
from jsonschema import ValidationError as SchemaMismatch
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from elcano.graphs.errors import ToolRefused
from elcano.graphs.frozen import JsonObject
from elcano.graphs.text import shorten_text

MOST_FAULTS: Final = 50
FAULT_CHARACTERS: Final = 300
MOST_REFERENCES: Final = 20_000
"""References of a schema followed per call: a few that refer to each other could be followed forever."""
PATTERN_SECONDS: Final = 1.0


def argument_faults(arguments: JsonObject, schema: JsonObject) -> list[str]:
    """List faults in the arguments as `/place: what`; at most 50, then a line with the number of the others.

    Raises:
        ToolRefused: the schema is invalid.
    """
    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
        checks = {"pattern": _validate_pattern, **_limit_reference_keywords(kind)}
        checked: Validator = extend(kind, checks)(schema, registry=Registry())  # type: ignore[no-untyped-call]
        faults = sorted(_find_argument_faults(checked, arguments), key=lambda fault: fault.partition(": "))
    except (SchemaError, Unresolvable, RecursionError, ValueError, regex.error) as error:
        said = shorten_text(" ".join(str(getattr(error, "message", error)).split()), FAULT_CHARACTERS)
        raise ToolRefused(f"its schema cannot be used to check arguments: {said}") from None
    left = len(faults) - MOST_FAULTS
    return faults[:MOST_FAULTS] + ([f"and {left} more"] if left > 0 else [])


def _find_argument_faults(checked: Validator, arguments: JsonObject) -> Iterator[str]:
    for error in checked.iter_errors(arguments):
        place = "".join(f"/{_escape_pointer_part(str(part))}" for part in error.absolute_path)
        yield f"/arguments{place}: {shorten_text(' '.join(error.message.split()), FAULT_CHARACTERS)}"


def _limit_reference_keywords(kind: type[Validator]) -> dict[str, Any]:
    """Return the keywords that refer to other places of a schema, as `kind` has them, up to a maximum number."""
    left = iter(range(MOST_REFERENCES))

    def counted(follow: Any) -> Any:
        def followed(*given: Any) -> Any:
            if next(left, None) is None:
                raise SchemaError(f"more than {MOST_REFERENCES:,} references would have to be followed")
            return follow(*given)

        return followed

    names = ("$ref", "$dynamicRef", "$recursiveRef")
    return {name: counted(kind.VALIDATORS[name]) for name in names if name in kind.VALIDATORS}


def _validate_pattern(_: Validator, pattern: str, instance: object, __: Any) -> Iterator[SchemaMismatch]:
    """Apply `pattern` as JSON Schema defines it, within a second."""
    if not isinstance(instance, str):
        return
    try:
        if regex.search(pattern, instance, timeout=PATTERN_SECONDS) is None:
            yield SchemaMismatch(f"it does not match {pattern!r}")
    except TimeoutError:  # the next string would take as long
        raise SchemaError(f"its pattern {pattern!r} takes over {PATTERN_SECONDS:g} s") from None


def _escape_pointer_part(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")
