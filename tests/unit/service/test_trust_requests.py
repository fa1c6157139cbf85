"""What a request says of trust is read, and refused before a run starts where it contradicts itself or cannot hold."""

from typing import Any

import pytest
from pydantic import ValidationError

from elcano.graphs.catalogue.sources import SOURCES, SourceLimits, SourcePolicy, SourceSpec
from elcano.graphs.graph_traits import read_graph_traits
from elcano.graphs.mode_choice import MODES
from elcano.graphs.model_names import ModelChoice
from elcano.graphs.trust import NO_LIMITS, Trust
from elcano.service.runs.trust_checks import explain_source_refusal, find_model_contact_faults, narrow_sources
from elcano.service.runs.trust_request import TrustRequest, continue_trust
from elcano.settings import Settings

PRIVATE, PUBLIC = Trust(egress="private"), Trust(egress="public")
DOCUMENTS = SourceSpec(name="handbook", kind="documents", description="Ours.")
SERVICE = SourceSpec(
    name="papers", kind="articles", description="All.", limits=SourceLimits(per_second=1), policy=SourcePolicy()
)
PAGES = SourceSpec(name="page", kind="pages", description="One.", by_address=True)


def read(**given: Any) -> tuple[Trust, dict[str, str]]:
    trust, faults = continue_trust(TrustRequest.model_validate(given), NO_LIMITS)
    return trust, {fault.field: fault.message for fault in faults}


def test_entries_are_read_into_one_spelling() -> None:
    trust, faults = read(allowed_domains=["WHO.int.", "who.int"], allowed_journals=["The Lancet", "01406736"])
    assert (trust.allowed_domains, trust.allowed_journals, faults) == (("who.int",), ("lancet", "0140-6736"), {})
    trust, faults = read(egress=["API.example.org", "*.internal"])
    assert (trust.egress, trust.egress_hosts, faults) == ("hosts", ("api.example.org", "*.internal"), {})


def test_all_faults_are_told_at_once_each_with_its_place() -> None:
    _, faults = read(
        allowed_domains=["who.int", "*"],
        blocked_domains=["int"],
        blocked_journals=["0140-6737", "?"],
        allowed_kinds=["article"],
        blocked_kinds=["article"],
        egress=["http://x.org"],
    )
    assert faults.keys() == {
        *("trust.allowed_domains.1", "trust.allowed_domains", "trust.blocked_journals.0", "trust.blocked_journals.1"),
        *("trust.allowed_kinds", "trust.egress.0"),
    }


@pytest.mark.parametrize(
    "given",
    [
        {"allowed_domains": ["a.org"] * 101},
        {"allowed_domains": ["x" * 301]},
        {"allowed_kinds": ["news"]},
        {"egress": []},
        {"egress": "open"},
        {"allow": ["a.org"]},
    ],
)
def test_what_has_not_the_form_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TrustRequest.model_validate(given)


@pytest.mark.parametrize(
    ("given", "before", "egress", "refused"),
    [
        (None, PRIVATE, "private", False),
        ({"blocked_kinds": ["page"]}, PRIVATE, "private", False),
        ({"egress": "any"}, PRIVATE, "any", True),
        ({"egress": ["a.internal"]}, PRIVATE, "hosts", True),
        ({"egress": "private"}, NO_LIMITS, "private", False),
        ({"egress": ["a.x.org"]}, Trust(egress="hosts", egress_hosts=("x.org",)), "hosts", False),
        ({"egress": ["y.org"]}, Trust(egress="hosts", egress_hosts=("x.org",)), "hosts", True),
        ({"egress": "any"}, PUBLIC, "any", False),
    ],
)
def test_a_follow_up_keeps_the_rules_and_never_leaves_the_scope(
    given: dict[str, Any] | None, before: Trust, egress: str, refused: bool
) -> None:
    wanted = None if given is None else TrustRequest.model_validate(given)
    before = before.model_copy(update={"blocked_domains": ("evil.org",)})
    trust, faults = continue_trust(wanted, before)
    assert trust.egress == egress
    assert trust.blocked_domains == ("evil.org",)
    assert [fault.field for fault in faults] == (["trust.egress"] if refused else [])


def test_what_a_follow_up_adds_contradicts_what_it_keeps() -> None:
    before = Trust(allowed_domains=("a.who.int",))
    _, faults = continue_trust(TrustRequest(blocked_domains=["who.int"]), before)
    assert [fault.field for fault in faults] == ["trust.allowed_domains"]


@pytest.mark.parametrize(
    ("trust", "spec", "settings", "said"),
    [
        (PRIVATE, DOCUMENTS, {}, ""),
        (PRIVATE, SERVICE, {}, "asks a public service"),
        (PRIVATE, SERVICE, {"service_urls": {"papers": "http://papers.internal"}}, ""),
        (PRIVATE, SERVICE, {"service_urls": {"papers": "https://mirror.example.org"}}, "asks a public service"),
        (PRIVATE, PAGES, {}, "ELCANO_PRIVATE_HOSTS"),
        (PRIVATE, PAGES, {"private_hosts": ("wiki.example.org",)}, ""),
        (PUBLIC, DOCUMENTS, {}, "it is private"),
        (Trust(blocked_kinds=("document",)), DOCUMENTS, {}, "'document' is blocked"),
        (Trust(allowed_journals=("lancet",)), PAGES, {}, "pages are in no journal"),
    ],
)
def test_sources_that_can_give_nothing_are_known_before(
    trust: Trust, spec: SourceSpec, settings: dict[str, Any], said: str
) -> None:
    why = explain_source_refusal(trust, spec, Settings(_env_file=None, **settings))
    assert said in why
    assert bool(said) == bool(why)


def test_named_sources_are_refused_and_default_ones_left_out() -> None:
    specs, settings = {"handbook": DOCUMENTS, "papers": SERVICE}, Settings(_env_file=None)
    assert narrow_sources(PRIVATE, None, tuple(specs), specs, settings) == (("handbook",), [])
    _, (fault,) = narrow_sources(PRIVATE, ["papers"], ("papers",), specs, settings)
    assert (fault.field, fault.message[:8]) == ("sources", "'papers'")
    _, (fault,) = narrow_sources(PUBLIC, None, ("handbook",), specs, settings)
    assert (fault.field, "nothing is left to search" in fault.message) == ("trust", True)


@pytest.mark.of_plugins("literature")
def test_every_service_asks_a_public_one() -> None:
    settings = Settings(_env_file=None)
    asked = {name for name, spec in SOURCES.items() if explain_source_refusal(PRIVATE, spec, settings)}
    assert asked.isdisjoint({"packages", "uploads", "knowledge"})
    assert {"pubmed", "openalex", "crossref", "arxiv", "wikipedia"} <= asked


def test_a_model_out_of_reach_is_told_by_stage_and_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    urls = {"vllm": "http://gpu.internal:8000/v1"}
    settings = Settings(_env_file=None, model="offline", model_urls=urls, shared_environment=True)
    callees = read_graph_traits(MODES["simple"]).callees

    def faults(trust: Trust, **by_agent: str) -> list[str]:
        choice = ModelChoice(default="vllm:llama", by_agent=by_agent)
        return [fault.message for fault in find_model_contact_faults(trust, callees, choice, settings)]

    assert faults(PRIVATE) == []
    (said,) = faults(PRIVATE, writer="openai:gpt-5.1")
    assert said.startswith("writer would call 'openai:gpt-5.1': api.openai.com is public")
    assert faults(PUBLIC, writer="openai:gpt-5.1") == []
    assert any("gpu.internal is not among" in text for text in faults(Trust(egress="hosts", egress_hosts=("a.org",))))
