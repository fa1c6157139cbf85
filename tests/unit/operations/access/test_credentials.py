"""Credentials have a form that is known without a store, and what is stored gives none of them away."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.operations.access.credentials import Credential, Kind, new_credential, parse_credential
from elcano.redaction import REMOVED, without_secrets


@pytest.mark.parametrize("kind", ["elc", "els", "ell"])
def test_a_credential_is_read_as_it_was_made(kind: Kind) -> None:
    made = new_credential(kind)
    assert parse_credential(made.text, kind) == made
    assert re.fullmatch(rf"{kind}_[0-9a-z]{{12}}_[0-9A-Za-z]{{49}}", made.text)
    for other in ("elc", "els", "ell"):
        assert (parse_credential(made.text, other) is None) == (other != kind)


def test_secrets_are_never_the_same() -> None:
    assert len({new_credential("elc").text for _ in range(1_000)}) == 1_000


@given(st.integers(0, 64), st.characters(codec="utf-8"))
def test_a_key_with_one_other_character_is_none(position: int, character: str) -> None:
    text = new_credential("elc").text
    changed = text[:position] + character + text[position + 1 :]
    assert changed == text or parse_credential(changed, "elc") is None


@given(st.text(max_size=200))
def test_no_other_text_is_a_credential(text: str) -> None:
    assert parse_credential(text, "elc") is None
    assert parse_credential(f"elc_{text}", "elc") is None


def test_a_hash_belongs_to_its_row() -> None:
    made = new_credential("elc")
    elsewhere = Credential("elc", "0" * 12, made.secret)
    assert made.matches(made.secret_hash)
    assert made.matches(None, made.secret_hash)
    assert not elsewhere.matches(made.secret_hash)
    assert not made.matches(None, "", "x" * 64)
    assert made.secret not in made.secret_hash


@pytest.mark.parametrize("kind", ["elc", "els", "ell"])
def test_no_log_and_no_failure_shows_one(kind: Kind) -> None:
    text = new_credential(kind).text
    assert without_secrets(f"refused: {text}, said it") == f"refused: {REMOVED}, said it"
    assert without_secrets(f"GET /v1/shared/{text}/report") == f"GET /v1/shared/{REMOVED}/report"
    assert without_secrets(f"key={text[:40]}") == f"key={REMOVED}"
