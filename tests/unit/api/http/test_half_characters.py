"""Lone surrogates in bodies: Python's JSON parser lets them through, and no text can be stored with one."""

import json

import pytest

from elcano.api.http.body_limit import find_half_character


@pytest.mark.parametrize("text", ["why \ud800?", "\udcff", "\ud800\ud800", "😀\ud83d", "\ud83d\\ude00"])
def test_half_of_a_character_is_found_in_both_spellings(text: str) -> None:
    raw = json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert find_half_character(json.dumps(text).encode()) is not None
    assert find_half_character(raw) is not None


@pytest.mark.parametrize("text", ["why?", "😀", "x😀😀y", "é漢\u200d", "\\ud800", "\\\\ud83d", "\\\\\\ude00", "힣"])
def test_whole_characters_and_what_looks_like_half_of_one_are_let_through(text: str) -> None:
    assert find_half_character(json.dumps(text).encode()) is None
    assert find_half_character(json.dumps(text, ensure_ascii=False).encode()) is None
