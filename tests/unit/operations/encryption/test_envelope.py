"""What is sealed can be read with its key, in its place, unchanged; and in no other way."""

import pickle
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.errors import SealedDataUnreadable
from elcano.operations.encryption import envelope
from elcano.operations.encryption.envelope import KeyRing, find_key_id

OLD, NEW, INDEX = (bytes([n]) * 32 for n in (1, 2, 3))
RING = KeyRing({"new": NEW, "old": OLD}, INDEX)


@given(st.binary(max_size=5_000))
def test_data_comes_back_as_it_was(data: bytes) -> None:
    assert RING.unseal(RING.seal(data, "row"), "row") == data


def test_nothing_of_the_data_shows_and_no_two_are_alike() -> None:
    data = b"the secret question " * 50
    sealed = {RING.seal(data, "row") for _ in range(100)}
    assert len(sealed) == 100
    assert all(b"secret" not in one and len(zlib.compress(one)) > len(data) for one in sealed)


def test_another_process_with_the_same_keys_reads_it() -> None:
    assert KeyRing({"other": OLD, "new": NEW}, INDEX).unseal(RING.seal(b"data", "payload"), "payload") == b"data"


def test_old_keys_still_read_after_a_rotation() -> None:
    before = KeyRing({"old": OLD}, INDEX).seal(b"data", "object")
    assert RING.unseal(before, "object") == b"data"
    assert (find_key_id(before), find_key_id(RING.seal(b"data", "object"))) == ("old", "new")


def test_a_missing_key_is_named_with_those_that_are_there() -> None:
    sealed = RING.seal(b"data", "row")
    with pytest.raises(SealedDataUnreadable, match=r"the key 'new', and this program has 'old': put that key back"):
        KeyRing({"old": OLD}, INDEX).unseal(sealed, "row")


def test_another_key_of_the_same_name_is_told_from_it() -> None:
    with pytest.raises(SealedDataUnreadable, match="'new' names another key"):
        KeyRing({"new": OLD}, INDEX).unseal(RING.seal(b"data", "row"), "row")


@given(st.data())
def test_no_byte_can_be_changed(data: st.DataObject) -> None:
    sealed = bytearray(RING.seal(b"some data", "row"))
    sealed[data.draw(st.integers(0, len(sealed) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(SealedDataUnreadable):
        RING.unseal(bytes(sealed), "row")


@given(st.binary(max_size=80))
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(SealedDataUnreadable):
        RING.unseal(data, "row")


def test_what_was_sealed_for_one_place_is_no_use_in_another() -> None:
    with pytest.raises(SealedDataUnreadable):
        RING.unseal(RING.seal(b"data", "row"), "payload")


def test_codes_of_words_stay_when_data_keys_change() -> None:
    assert RING.blind("aspirin") == KeyRing({"newer": bytes(32)}, INDEX).blind("aspirin")
    assert RING.blind("aspirin") != KeyRing({"new": NEW}, OLD).blind("aspirin")
    assert len({RING.blind(word) for word in ("aspirin", "Aspirin", "ibuprofen", "")}) == 4


def test_a_process_takes_another_salt_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envelope, "TEXTS_OF_A_SALT", 3)
    ring = KeyRing({"new": NEW}, INDEX)
    sealed = [ring.seal(b"data", "row") for _ in range(7)]
    assert [one[5:21] == sealed[0][5:21] for one in sealed] == [True] * 3 + [False] * 4
    assert all(ring.unseal(one, "row") == b"data" for one in sealed)


def test_keys_do_not_leave_their_process() -> None:
    with pytest.raises(TypeError, match="do not leave"):
        pickle.dumps(RING)
    assert "\\x02" not in repr(RING)
