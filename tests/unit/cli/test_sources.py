"""`elcano sources` shows what can be searched, how it stands and what the rest lacks; a check shows what is found."""

import json

import pytest

from elcano.api.sources import SourceView
from elcano.graphs.catalogue.sources import SourceLimits, SourcePolicy, SourceSpec, build_collection_spec
from elcano.graphs.providers import Provider
from elcano.service.fields import datetime_from_seconds
from tests.unit.cli.scripted import Answer, Server, problem, run

ARTICLES = SourceSpec(
    name="articles",
    kind="articles",
    description="Articles.",
    texts="abstracts",
    dated=True,
    languages=("en", "fr"),
    filters=("years",),
    key="ARTICLES_KEY",
    needs_key=True,
    limits=SourceLimits(per_second=3, per_second_with_key=10),
    policy=SourcePolicy(),
)


def test_each_with_what_it_can_and_what_it_lacks(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    shown = [
        SourceView.of(build_collection_spec("docs"), ""),
        SourceView.of(ARTICLES, "set ARTICLES_KEY where a worker runs"),
    ]
    body = [one.model_dump(mode="json") for one in shown]
    server.answer("GET /v1/sources", Answer(body))
    assert run("sources") == 0
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == [
        "docs      ready          The documents of 'docs'.",
        "documents; full text",
        "articles  needs a key    Articles.",
        "set ARTICLES_KEY where a worker runs",
        "articles; abstracts; dated; languages: en, fr; queries can narrow by years; 3 searches a second; "
        "10 with ARTICLES_KEY",
    ]
    assert run("sources", "--json") == 0
    assert json.loads(capsys.readouterr().out) == body


def test_none_is_said_with_what_to_do(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer("GET /v1/sources", Answer([]))
    assert run("sources") == 0
    assert "ELCANO_COLLECTIONS" in capsys.readouterr().out


def test_one_that_waits_says_until_when_and_why(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    provider = Provider(held_until=1_030.0, asked=True, since=1_000.0, error="articles: HTTP 429", error_at=1_000.0)
    shown = SourceView.of(ARTICLES, "", "unserved", state=(provider, 1_010.0))
    assert (shown.state, shown.ready, shown.until) == ("waiting", False, datetime_from_seconds(1_030.0))
    server.answer("GET /v1/sources", Answer([shown.model_dump(mode="json")]))
    assert run("sources") == 0
    said = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert said[0] == "articles  waiting        Articles."
    assert said[1] == "since 1970-01-01 00:16:40 UTC; not searched until 1970-01-01 00:17:10 UTC"
    assert said[2] == "last error (1970-01-01 00:16:40 UTC): articles: HTTP 429"


def test_one_that_answers_again_keeps_its_last_error(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    provider = Provider(error="articles: HTTP 503", error_at=1_000.0)
    server.answer(
        "GET /v1/sources", Answer([SourceView.of(ARTICLES, "", state=(provider, 2_000.0)).model_dump(mode="json")])
    )
    assert run("sources") == 0
    out = capsys.readouterr().out
    assert "articles  ready" in out
    assert "last error (1970-01-01 00:16:40 UTC): articles: HTTP 503" in out
    assert "left alone" not in out


FOUND = {
    "source": "articles",
    "query": "whales",
    "passages": [{"title": "On whales", "locator": "https://a.example/1", "excerpt": "Whales sing."}],
    "warnings": ["articles: one page could not be read"],
    "seconds": 0.42,
}


def test_a_check_shows_what_is_found(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer("POST /v1/sources/articles/check", Answer(FOUND))
    assert run("sources", "check", "articles", "whales", "--limit", "3") == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        "articles found 1 passage for 'whales' in 0.4 s",
        "",
        "1. On whales",
        "   https://a.example/1",
        "   Whales sing.",
    ]
    assert "one page could not be read" in shown.err
    assert json.loads(server.asked[-1][2]) == {"query": "whales", "limit": 3}
    assert run("sources", "check", "articles", "whales", "--json") == 0
    assert json.loads(capsys.readouterr().out) == FOUND


def test_a_check_that_finds_nothing_is_no_failure(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.answer("POST /v1/sources/articles/check", Answer({**FOUND, "passages": [], "warnings": []}))
    assert run("sources", "check", "articles", "whales") == 0
    assert "articles found nothing for 'whales'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [(502, "urn:elcano:source-check-failed", 1), (404, "urn:elcano:source-not-found", 2), (503, "urn:x", 3)],
)
def test_a_check_that_fails_says_why_and_whose_fault_it_is(
    server: Server, capsys: pytest.CaptureFixture[str], status: int, kind: str, code: int
) -> None:
    answer = problem(status, "It did not work", "articles: HTTP 503")
    answer.body = answer.body.replace(b"urn:x", kind.encode())
    server.answer("POST /v1/sources/articles/check", answer)
    assert run("sources", "check", "articles", "whales") == code
    assert "articles: HTTP 503" in capsys.readouterr().err
