#!/bin/sh
# The default data converter of Temporal's Python SDK changes values on their way between workflows and activities, in
# types that Python's hints and JSON have. A result declared as `int | float` loses its fraction, as does one declared
# as `int`: 1.5 is 1. Of `Short | Long`, two dataclasses, the first whose required fields are there is built, and the
# other fields are dropped, though the value was a Long. And a dict comes back with its keys sorted, so a ranking by
# score is an alphabet. The same holds for typing.Union if the narrower type is first. The converter for pydantic keeps
# all.
#
# version: temporalio==1.35.0, pydantic==2.14.4
# behaviour: 1.5 as `int | float` is 1, Long(name, pages=7) as `Short | Long` is Short(name), {"b": 1, "a": 2} is
#   sorted
# seen: 1, 1, Short(name='x'), ['a', 'b']; with pydantic_data_converter 1.5, an error for `int`, Long(name='x',
#   pages=7), ['b', 'a']
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check temporalio==1.35.0 pydantic==2.14.4
cat > "$folder/show.py" <<'PYTHON'
import sys
from dataclasses import dataclass

from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.converter import DataConverter


@dataclass
class Short:
    name: str


@dataclass
class Long:
    name: str
    pages: int = 0


def send(converter, value, hint):
    payloads = converter.payload_converter.to_payloads([value])
    try:
        return converter.payload_converter.from_payloads(payloads, [hint])[0]
    except ValueError:
        return "ValueError"


found = []
for converter in (DataConverter.default, pydantic_data_converter):
    values = ((1.5, int | float), (1.5, int), (Long("x", 7), Short | Long), ({"b": 1, "a": 2}, dict[str, int]))
    *others, ranking = (send(converter, value, hint) for value, hint in values)
    found.append([*others, list(ranking)])
    print(*found[-1])
same = found == [
    [1, 1, Short("x"), ["a", "b"]],
    [1.5, "ValueError", Long("x", 7), ["b", "a"]],
]
sys.exit(0 if same else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
