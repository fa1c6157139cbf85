"""What an answer is, before its content is read."""

import httpx
import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.activities.sources.http.fetching import Answer
from elcano.graphs.errors import SourceUnavailable
from elcano.subjects.web.content_kind import detect_content_kind

AT = "https://a.example/b/c"
MARKUP = b"<!doctype html><p>x"


def answer(
    content: bytes = MARKUP, status: int = 200, media: str | None = "text/html", url: str = AT, **headers: str
) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(url, status, httpx.Headers({**named, **({} if media is None else {"content-type": media})}), content)


@pytest.mark.parametrize(
    ("given", "suffix"),
    [
        (answer(), ".html"),
        (answer(media="application/xhtml+xml; charset=x"), ".html"),
        (answer(media=None), ".html"),
        (answer(b"\xef\xbb\xbf \n<HTML><body>", media=""), ".html"),
        (answer(b"%PDF-1.7 ...", media="text/html"), ".pdf"),
        (answer(b"\n\n%PDF-1.7 ...", media=None), ".pdf"),
        (answer(b"%PDF-1.7 ...", media="application/octet-stream"), ".pdf"),
        (answer(b"words", media="text/plain"), ".txt"),
        (answer(b"# words", media="text/markdown"), ".md"),
    ],
)
def test_what_can_be_read(given: Answer, suffix: str) -> None:
    assert detect_content_kind(given, AT) == suffix


@pytest.mark.parametrize(
    ("given", "asked", "reason"),
    [
        (answer(status=401), AT, "login"),
        (answer(status=402), AT, "paid"),
        (answer(status=403), AT, "refuses robots"),
        (answer(status=404), AT, "no such page"),
        (answer(status=410), AT, "gone"),
        (answer(status=451), AT, "legal"),
        (answer(status=204), AT, "HTTP 204"),
        (answer(status=304), AT, "HTTP 304"),
        (answer(b""), AT, "empty"),
        (answer(b" \r\n\t "), AT, "empty"),
        (answer(media="application/pdf"), AT, "called a PDF and is none"),
        (answer(), "https://a.example/paper.pdf", "in place of a PDF"),
        (answer(), "https://a.example/paper.PDF?download=1", "in place of a PDF"),
        (answer(), "https://a.example/doi/pdf/10.1000/x", "in place of a PDF"),
        (answer(), "https://arxiv.org/pdf/2401.00001", "in place of a PDF"),
        (answer(url="https://a.example/x.pdf"), AT, "in place of a PDF"),
        (answer(url="https://a.example/"), AT, "front page"),
        (answer(url="https://b.example"), AT, "front page"),
        (answer(media="image/png"), AT, "'image/png' is not read"),
        (answer(media="application/json"), AT, "is not read"),
        (answer(b"\x00\x01binary", media=None), AT, "nothing says"),
        (answer(b"just words", media="application/octet-stream"), AT, "nothing says"),
        (answer(status=403, cf_mitigated="challenge"), AT, "bot check"),
        (answer(status=503, cf_mitigated="Challenge"), AT, "bot check"),
        (answer(status=405, x_amzn_waf_action="captcha"), AT, "bot check"),
    ],
)
def test_what_cannot_be_quoted(given: Answer, asked: str, reason: str) -> None:
    with pytest.raises(FileSkipped, match=reason):
        detect_content_kind(given, asked)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 529])
def test_what_may_be_had_later(status: int) -> None:
    with pytest.raises(SourceUnavailable, match=f"HTTP {status}"):
        detect_content_kind(answer(status=status), AT)


@pytest.mark.parametrize(
    ("asked", "url"),
    [
        ("https://a.example/", "https://a.example/"),
        ("https://a.example/about", "https://a.example/"),
        ("https://a.example/b/c", "https://a.example/?page=c"),
        (AT, "https://a.example/b/d"),
    ],
)
def test_a_front_page_that_was_asked_for_is_read(asked: str, url: str) -> None:
    assert detect_content_kind(answer(url=url), asked) == ".html"
