"""What is written of a source holds together, and says the same to everybody who asks."""

import pytest
from pydantic import ValidationError

from elcano.graphs.catalogue.sources import (
    LONGEST_QUERY,
    MOST_RESULTS,
    SOURCES,
    SourceLimits,
    SourcePolicy,
    SourceSpec,
    build_collection_spec,
    list_configured_sources,
)
from elcano.graphs.catalogue.tools import SearchInput
from elcano.graphs.errors import InputInvalid
from elcano.service.runs.run_request import MAX_QUESTION


def spec(**more: object) -> SourceSpec:
    known = {
        "name": "articles",
        "kind": "articles",
        "description": "Articles.",
        "policy": SourcePolicy(),
    }
    return SourceSpec.model_validate({**known, **more})


def test_a_queue_is_for_a_rate_or_a_key() -> None:
    assert spec().queue == ""
    assert spec(key="ARTICLES_KEY").queue == ""
    assert spec(key="ARTICLES_KEY", needs_key=True).queue == "elcano-source-articles"
    assert spec(limits=SourceLimits(per_second=3)).queue == "elcano-source-articles"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"needs_key": True}, "names no variable"),
        ({"limits": SourceLimits(per_second=3), "policy": None}, "needs a policy"),
        ({"name": "Articles"}, "name"),
        ({"setting": "articles_file"}, "names 'articles_file', which is no variable: write it as ELCANO_NAME"),
        ({"key": "articles key"}, "which is no variable"),
        ({"any_of": ("own",)}, "which is no variable"),
    ],
)
def test_an_entry_that_cannot_work_is_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        spec(**wrong)


def test_a_key_may_be_needed_or_only_make_faster() -> None:
    needed = spec(key="ARTICLES_KEY", needs_key=True)
    assert needed.missing(lambda _: False) == "set ARTICLES_KEY"
    assert needed.missing(lambda _: True) == ""
    faster = spec(key="ARTICLES_KEY", limits=SourceLimits(per_second=3, per_second_with_key=10))
    assert faster.missing(lambda _: False) == ""
    assert (faster.rate(lambda _: False), faster.rate(lambda _: True)) == (3, 10)


def test_one_of_several_variables_may_be_enough() -> None:
    either = spec(any_of=("ELCANO_SERVICE_URLS[own]", "ARTICLES_KEY"))
    assert either.queue == "elcano-source-articles"
    assert either.missing(lambda _: False) == "set one of 'own' in ELCANO_SERVICE_URLS, ARTICLES_KEY"
    assert either.missing(lambda name: name == "ARTICLES_KEY") == ""
    assert either.missing(lambda name: name == "ELCANO_SERVICE_URLS[own]") == ""
    with pytest.raises(ValidationError, match="needs a policy"):
        spec(any_of=("ARTICLES_KEY",), policy=None)


def test_who_plans_searches_is_told_how_a_query_is_written() -> None:
    assert spec().purpose == "Articles."
    assert spec(syntax="Plain words.").purpose == "Articles. Query: Plain words."


def test_what_is_configured() -> None:
    assert list(list_configured_sources(["b", "a"], lambda _: True)) == ["b", "a", *SOURCES]
    always = [name for name, source in SOURCES.items() if not source.setting]
    assert list(list_configured_sources(["b", "a"], lambda _: False)) == ["b", "a", *always]
    assert "packages" not in always
    with pytest.raises(InputInvalid, match="a source has that name"):
        build_collection_spec("packages")


def test_the_limits_are_those_of_the_tool() -> None:
    schema = SearchInput.model_json_schema()["properties"]
    assert schema["query"]["maxLength"] == MAX_QUESTION > LONGEST_QUERY  # a first search asks the question itself
    assert schema["limit"]["maximum"] == MOST_RESULTS


def test_each_is_listed_under_its_name() -> None:
    assert {name: source.name for name, source in SOURCES.items()} == {name: name for name in SOURCES}
