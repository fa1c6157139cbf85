"""`elcano sources` shows what can be searched and what the rest lacks."""

import json

import pytest

from elcano.api.http.source_view import SourceView
from elcano.graphs.catalogue.sources import SourceLimits, SourcePolicy, SourceSpec, collection
from tests.unit.cli.scripted import Answer, Server, run

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
    shown = [SourceView.of(collection("docs"), ""), SourceView.of(ARTICLES, "set ARTICLES_KEY where a worker runs")]
    body = [one.model_dump(mode="json") for one in shown]
    server.answer("GET /v1/sources", Answer(body))
    assert run("sources") == 0
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == [
        "docs      ready   The documents of 'docs'.",
        "documents; full text",
        "articles  closed  Articles.",
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
