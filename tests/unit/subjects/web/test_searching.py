"""Who is asked, in which order, and what is said when nobody answers."""

import pytest

from elcano.activities.sources.http.fetching import Fetcher, Service
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.errors import ActivityFault, SourceBusy, SourceRefused, SourceUnavailable
from elcano.settings import Settings
from elcano.subjects.web.search_providers import (
    PROVIDERS,
    ConfiguredProvider,
    Hit,
    Hits,
    Provider,
    list_configured_providers,
    search_with_fallback,
)
from tests.unit.subjects.web.site import settings

FOUND = Hits((Hit("https://a.example/", "A"),))


def engines(*outcomes: Hits | Exception) -> list[ConfiguredProvider]:
    """Providers `first`, `second` ... that answer so."""
    chosen = settings()
    fetcher = Fetcher(chosen)

    def one(name: str, outcome: Hits | Exception) -> ConfiguredProvider:
        async def search(service: Service, key: str, query: str) -> Hits:
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        return ConfiguredProvider(
            Provider(name, "", "http://x", search), Service(name, "http://x", chosen, fetcher), ""
        )

    return [one(name, outcome) for name, outcome in zip(("first", "second", "third"), outcomes, strict=False)]


async def test_the_first_that_answers_is_enough() -> None:
    found = await search_with_fallback("web", "whales", engines(FOUND, AssertionError("asked too")))
    assert found == FOUND


async def test_the_next_is_asked_when_one_fails_and_every_failure_is_named() -> None:
    failures = SourceBusy("first: HTTP 429", 3.0), SourceRefused("second: the key is refused")
    found = await search_with_fallback("web", "whales", engines(*failures, FOUND))
    assert found.hits == FOUND.hits
    assert found.warnings == ("web: first: HTTP 429", "web: second: the key is refused")


async def test_what_an_engine_warns_of_is_passed_on_with_its_name() -> None:
    found = await search_with_fallback(
        "web", "whales", engines(FOUND._replace(warnings=("its engine bing: too many requests",)))
    )
    assert found.warnings == ("web: first: its engine bing: too many requests",)


async def test_nothing_found_is_said_and_nobody_else_is_asked() -> None:
    found = await search_with_fallback("web", "whales", engines(Hits(), AssertionError("asked too")))
    assert found == Hits((), ("web: first found no page for 'whales'",))


@pytest.mark.parametrize(
    ("failures", "kind", "after"),
    [
        ([SourceBusy("first: 429", 9.0), SourceBusy("second: 503", 4.0)], SourceBusy, 4.0),
        ([SourceBusy("first: 429", 9.0), SourceBusy("second: 503")], SourceBusy, None),
        ([SourceBusy("first: 429", 9.0), SourceRefused("second: key")], SourceBusy, 9.0),
        ([SourceUnavailable("first: no connection"), SourceRefused("second: key")], SourceUnavailable, None),
        ([SourceRefused("first: key"), SourceRefused("second: key")], SourceRefused, None),
    ],
)
async def test_when_none_answers_it_is_no_empty_answer(
    failures: list[Exception], kind: type[ActivityFault], after: float | None
) -> None:
    with pytest.raises(kind) as caught:
        await search_with_fallback("web", "whales", engines(*failures))
    assert type(caught.value) is kind
    assert all(str(failure) in str(caught.value) for failure in failures)
    assert getattr(caught.value, "retry_after", None) == after


async def test_a_bug_is_no_failure_of_a_provider() -> None:
    with pytest.raises(ZeroDivisionError):
        await search_with_fallback("web", "whales", engines(ZeroDivisionError(), FOUND))


async def test_those_with_a_key_or_an_address_are_asked_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = SOURCES["web"]
    for variable in spec.any_of:
        monkeypatch.delenv(variable, raising=False)
    nothing = settings()
    assert list_configured_providers(nothing, Fetcher(nothing)) == ()
    assert spec.missing(nothing.has) == (
        "set one of 'searxng' in ELCANO_SERVICE_URLS, BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY, SERPER_API_KEY"
    )
    monkeypatch.setenv("EXA_API_KEY", " exa-secret\n")
    monkeypatch.setenv("BRAVE_API_KEY", "brave-secret")
    chosen = settings(searxng="http://searxng:8080", tavily="http://mirror/")
    found = list_configured_providers(chosen, Fetcher(chosen))
    assert [(one.provider.name, one.key) for one in found] == [
        ("searxng", ""),
        ("brave", "brave-secret"),
        ("exa", "exa-secret"),
    ]
    assert found[0].service.base == "http://searxng:8080/"
    assert found[0].service.trusted
    assert not found[1].service.trusted
    assert spec.missing(chosen.has) == ""


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda one: one.name)
def test_each_provider_alone_turns_the_source_on(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = SOURCES["web"]
    for variable in spec.any_of:
        monkeypatch.delenv(variable, raising=False)
    if provider.variable:
        monkeypatch.setenv(provider.variable, "a secret")
        assert spec.missing(settings().has) == ""
    else:
        assert spec.missing(settings(**{provider.name: "http://own"}).has) == ""
    assert spec.missing(settings(**{provider.name: ""}).has) == spec.missing(
        lambda name: name == provider.variable and bool(provider.variable)
    )


def test_an_entry_of_a_setting_is_asked_for_by_its_name() -> None:
    chosen = Settings(_env_file=None, service_urls={"searxng": "http://own"})
    assert chosen.has("ELCANO_SERVICE_URLS[searxng]")
    assert not chosen.has("ELCANO_SERVICE_URLS[brave]")
    assert chosen.has("ELCANO_SERVICE_URLS")
    assert not Settings(_env_file=None, service_urls={}).has("ELCANO_SERVICE_URLS[searxng]")
