"""Pages in other encodings than UTF-8, honest and not."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.html_encoding import decode_html

JAPANESE = "<meta charset=Shift_JIS><p>日本語のページ、①と髙</p>"
FRENCH = "<p>Où est \u201cété\u201d \u2014 là ?</p>"


@pytest.mark.parametrize(
    ("content", "declared", "text"),
    [
        (FRENCH.encode(), "utf-8", FRENCH),
        (FRENCH.encode(), "", FRENCH),
        (FRENCH.encode("cp1252"), "iso-8859-1", FRENCH),
        (FRENCH.encode("cp1252"), "", FRENCH),
        (FRENCH.encode("utf-8-sig"), "cp1252", FRENCH),
        (FRENCH.encode("utf-16"), "", FRENCH),
        (JAPANESE.encode("cp932"), "", JAPANESE),
        (JAPANESE.encode("cp932"), "x-sjis", JAPANESE),
        (JAPANESE.encode("cp932"), "utf-8", JAPANESE),
        (JAPANESE.encode(), "Shift_JIS", JAPANESE),
        (
            "<?xml version='1.0' encoding='EUC-JP'?>日本語".encode("euc_jp"),
            "",
            "<?xml version='1.0' encoding='EUC-JP'?>日本語",
        ),
        ("<p>简体中文网页</p>".encode("gb18030"), "gb2312", "<p>简体中文网页</p>"),
        ("<p>Привет</p>".encode("koi8-r"), "koi8-r", "<p>Привет</p>"),
        (b"<meta charset=utf-16><p>plain", "", "<meta charset=utf-16><p>plain"),
    ],
)
def test_by_what_is_said_and_what_is_so(content: bytes, declared: str, text: str) -> None:
    assert decode_html(content, declared) == text


@pytest.mark.parametrize(
    "declared", ["idna", "rot13", "zip", "unicode_escape", "no-such", "\0", "x" * 500, "undefined"]
)
def test_names_that_are_no_encodings_of_pages_are_passed_over(declared: str) -> None:
    assert decode_html("<p>Ünïcode \\x41".encode(), declared) == "<p>Ünïcode \\x41"


def test_one_broken_character_does_not_make_all_others_wrong() -> None:
    page = ("<p>déjà vu " * 200).encode() + b"\xff" + "été".encode()
    text = decode_html(page, "utf-8")
    assert text.endswith("\ufffdété")
    assert "Ã" not in text


def test_what_is_no_text_is_left_out() -> None:
    with pytest.raises(FileSkipped, match="binary"):
        decode_html(bytes(range(256)) * 10, "")


@given(st.binary(max_size=300), st.text(max_size=20))
def test_any_bytes_are_text_or_left_out(content: bytes, declared: str) -> None:
    with suppress(FileSkipped):
        assert isinstance(decode_html(content, declared), str)
