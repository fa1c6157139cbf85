"""Whatever is changed in a certificate is found, and the part that it is in is named; hashes that fit do not help."""

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elcano.doors.certificates.certificate_format import (
    FILE,
    HASHES,
    PARTS,
    WHOLE,
    encode_certificate_end,
    parse_certificate,
)
from elcano.doors.certificates.verify_command import compare_certificate
from tests.certificates.conftest import Certificates

Parts: TypeAlias = dict[str, Any]
Forge: TypeAlias = Callable[[Parts], object]
LINES = (FILE, *PARTS, HASHES, WHOLE, FILE)
"""What stands in each line of a certificate."""


def resealed(data: bytes, forge: Forge) -> bytes:
    """A certificate whose parts somebody changed, and then computed all hashes anew."""
    parts: Parts = {name: json.loads(part) for name, part in parse_certificate(data)[0].items()}
    forge(parts)
    written = {name: json.dumps(parts[name], ensure_ascii=False, separators=(",", ":")).encode() for name in PARTS}
    body = b"".join(b'"%s":%s,\n' % (name.encode(), part) for name, part in written.items())
    return b"{\n" + body + encode_certificate_end({name: sha256(part).hexdigest() for name, part in written.items()})


def part_at(data: bytes | bytearray, position: int) -> str:
    return LINES[data.count(b"\n", 0, position)]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kind=st.sampled_from(["iterative", "deep"]), where=st.floats(0, 1, exclude_max=True), more=st.integers(1, 255))
def test_any_changed_byte_is_found_and_its_part_named(
    certificates: Certificates, kind: str, where: float, more: int
) -> None:
    data = bytearray(certificates[kind])
    position = int(where * len(data))
    changed = part_at(data, position)
    data[position] = (data[position] + more) % 256
    assert changed in {fault.part for fault in compare_certificate(bytes(data)).faults}


@pytest.mark.parametrize("part", PARTS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(choose=st.data())
def test_any_changed_byte_of_each_part_is_found(certificates: Certificates, part: str, choose: st.DataObject) -> None:
    whole = certificates["deep"]
    begin = whole.index(f'\n"{part}":'.encode()) + 1
    position = choose.draw(st.integers(begin, whole.index(b"\n", begin)))
    more = choose.draw(st.integers(1, 255))
    data = bytearray(whole)
    data[position] = (data[position] + more) % 256
    assert part in {fault.part for fault in compare_certificate(bytes(data)).faults}


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1, exclude_max=True))
def test_one_that_was_cut_off_is_none(certificates: Certificates, where: float) -> None:
    data = certificates["iterative"]
    assert not compare_certificate(data[: int(where * len(data))]).holds


def entry(parts: Parts, kind: str = "step_completed", node: str = "writer") -> Parts:
    found: Parts = next(one for one in parts["entries"] if one["kind"] == kind and one.get("node") == node)
    return found


def spent_less(parts: Parts) -> None:
    """In the entries and in the state that they lead to, as somebody would who knows that they are followed."""
    entry(parts)["usage"]["input_tokens"] -= 7
    parts["state"]["budget"]["used"]["input_tokens"] -= 7


def quoted_otherwise(parts: Parts) -> None:
    """In the draft, under its new hash wherever that stands."""
    (old,) = parts["drafts"]
    draft = json.loads(parts["drafts"].pop(old))
    for claim in (*draft["key_findings"], *(one for section in draft["sections"] for one in section["claims"])):
        for citation in claim["citations"]:
            citation["quote"] = "Retries belong to nobody"
    written = json.dumps(draft, ensure_ascii=False, separators=(",", ":"))
    new = sha256(written.encode()).hexdigest()
    parts["drafts"][new] = written
    for name in ("entries", "state"):
        parts[name] = json.loads(json.dumps(parts[name]).replace(old, new))


def reported_otherwise(parts: Parts) -> None:
    """In the report, its Markdown and its hash."""
    report = json.loads(parts["report"])
    report["markdown"] = parts["markdown"] = report["markdown"].replace("Temporal", "temporal")
    parts["report"] = json.dumps(report, ensure_ascii=False, separators=(",", ":"))
    parts["run"]["report"]["artifact"] = sha256(parts["report"].encode()).hexdigest()


def reported_in_other_bytes(parts: Parts) -> None:
    parts["report"] = json.dumps(json.loads(parts["report"]))
    parts["run"]["report"]["artifact"] = sha256(parts["report"].encode()).hexdigest()


def moved(parts: Parts) -> None:
    """One character on in the text that the passage is of."""
    passage = parts["evidence"][0]
    passage.update(start=passage["start"] + 1, end=passage["end"] + 1)


def found_otherwise(parts: Parts) -> None:
    """In the passage and in the text that it is of, with the text's new hash."""
    text = parts["texts"][0]
    old = text["content_hash"]
    text["text"] = text["text"].replace("Temporal", "temporal")
    new = sha256(text["text"].encode()).hexdigest()
    for passage in parts["evidence"]:
        passage["text"] = passage["text"].replace("Temporal", "temporal")
    for name in ("evidence", "texts"):
        parts[name] = json.loads(json.dumps(parts[name]).replace(old, new))


def _of_agents(parts: Parts) -> list[Parts]:
    return [line for line in parts["ledger"] if line["kind"] == "agent"]


FORGERIES: Mapping[str, tuple[str, Forge]] = {
    "another run": ("certificate", lambda parts: parts["certificate"].update(run_id="run-2")),
    "another format": ("certificate", lambda parts: parts["certificate"].update(format=99)),
    "another build": ("versions", lambda parts: parts["versions"].update(builds=["9.9.9+none"])),
    "other rules": ("versions", lambda parts: parts["versions"].update(rules=99)),
    "another status": ("run", lambda parts: parts["run"].update(status="partial")),
    "other figures": ("run", lambda parts: parts["run"]["report"].update(verified=9)),
    "less spent in the record": ("run", lambda parts: parts["run"]["budget"]["tokens"].update(used=1)),
    "another question": ("asked", lambda parts: parts["asked"].update(question="What else?")),
    "another limit": ("entries", lambda parts: parts["asked"]["limits"].update(tokens=12_345)),
    "another entry node": ("graph", lambda parts: parts["graph"].update(entry_node="nowhere")),
    "an entry less": ("entries", lambda parts: parts["entries"].pop(2)),
    "another answer": ("entries", lambda parts: entry(parts, node="thinking")["output"].update(thought="Hm.")),
    "another state": ("entries", lambda parts: parts["state"]["budget"].update(steps=1)),
    "less spent": ("ledger", spent_less),
    "less in the ledger": ("ledger", lambda parts: parts["ledger"][0]["usage"].update(input_tokens=1)),
    "a line less": ("ledger", lambda parts: parts["ledger"].pop(0)),
    "a passage less": ("evidence", lambda parts: parts["evidence"].pop()),
    "another passage": ("evidence", lambda parts: parts["evidence"][0].update(text="Retries belong to nobody.")),
    "another place": ("evidence", moved),
    "another title": ("evidence", lambda parts: parts["evidence"][0].update(title="Somewhere else")),
    "another passage in another text": ("evidence", found_otherwise),
    "another text": ("texts", lambda parts: parts["texts"][0].update(text="Retries belong to nobody.")),
    "a text less": ("texts", lambda parts: parts["texts"].clear()),
    "another draft": ("drafts", lambda parts: parts["drafts"].update(dict.fromkeys(parts["drafts"], "{}"))),
    "a draft less": ("drafts", lambda parts: parts["drafts"].clear()),
    "other quotes": ("report", quoted_otherwise),
    "another report": ("report", reported_otherwise),
    "the hash of another report": ("report", lambda parts: parts["run"]["report"].update(artifact="0" * 64)),
    "the same report in other bytes": ("report", reported_in_other_bytes),
    "another model in the ledger": ("ledger", lambda parts: _of_agents(parts)[0].update(model="openai:gpt-9")),
    "another beginning": ("run", lambda parts: parts["run"].update(started_at=parts["run"]["finished_at"] + 9_999)),
    "another end": ("run", lambda parts: parts["run"].update(finished_at=1.0)),
    "another day": ("asked", lambda parts: parts["asked"].update(today="1999-12-31")),
    "another source": ("run", lambda parts: parts["run"].update(sources=["elsewhere"])),
    "another Markdown": ("markdown", lambda parts: parts.update(markdown="# Nothing\n")),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_what_does_not_fit_is_found_though_every_hash_does(certificates: Certificates, forgery: str) -> None:
    part, forge = FORGERIES[forgery]
    data = resealed(certificates["iterative"], forge)
    assert part in {fault.part for fault in compare_certificate(data).faults}


def of_first_section(parts: Parts) -> Parts:
    section: Parts = parts["sections"][0]
    return section


SECTION_FORGERIES: Mapping[str, Forge] = {
    "a section less": lambda parts: parts["sections"].pop(),
    "another state": lambda parts: of_first_section(parts)["run"]["state"].update(warnings=["Beware"]),
    "an entry less": lambda parts: of_first_section(parts)["entries"].pop(),
    "another question": lambda parts: of_first_section(parts)["asked"].update(question="What else?"),
    "another graph": lambda parts: of_first_section(parts)["asked"]["graph"].update(description="Mine"),
}


@pytest.mark.parametrize("forgery", SECTION_FORGERIES)
@pytest.mark.parametrize("kind", ["deep", "chain"])
def test_a_section_that_does_not_fit_is_found_though_every_hash_does(
    certificates: Certificates, kind: str, forgery: str
) -> None:
    data = resealed(certificates[kind], SECTION_FORGERIES[forgery])
    assert "sections" in {fault.part for fault in compare_certificate(data).faults}


def test_written_anew_without_a_change_it_holds(certificates: Certificates) -> None:
    """So it is the changes that the others are found by."""
    for data in certificates.values():
        assert compare_certificate(resealed(data, lambda parts: None)).faults == ()
