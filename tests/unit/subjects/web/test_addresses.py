"""Addresses: in queries, on pages, and as names of works."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.report.works import Identifiers
from elcano.subjects.web.addresses import (
    different_hosts,
    identify_page,
    normalize_page_url,
    resolve_link,
    split_url_from_query,
)


@pytest.mark.parametrize(
    ("query", "url", "words"),
    [
        ("https://a.example/b", "https://a.example/b", ""),
        ("  https://a.example/b whales and krill ", "https://a.example/b", "whales and krill"),
        ("what does https://a.example/b say of krill?", "https://a.example/b", "what does say of krill?"),
        ("krill (see https://a.example/b).", "https://a.example/b", "krill (see"),
        ("https://en.example/wiki/Krill_(animal), diet", "https://en.example/wiki/Krill_(animal)", "diet"),
        ("HTTPS://A.example/B?x=1&y=2#part krill", "https://A.example/B?x=1&y=2", "krill"),
        ("<https://a.example/b> krill", "https://a.example/b", "krill"),
        ("docs.example.org/retention periods", "https://docs.example.org/retention", "periods"),
        ("example.org", "https://example.org", ""),
        ("http://a.example:8080/b krill", "http://a.example:8080/b", "krill"),
        ("https://a.example/ https://b.example/ krill", "https://a.example/", "https://b.example/ krill"),
        ("www.example.org krill", "https://www.example.org", "krill"),
        ("Node.js event loop", "", "Node.js event loop"),
        ("either TCP/IP or e.g. and/or", "", "either TCP/IP or e.g. and/or"),
        ("whales and krill", "", "whales and krill"),
        ("write to someone@example.org", "", "write to someone@example.org"),
        ("javascript:alert(1)", "", "javascript:alert(1)"),
        ("https:// krill", "", "https:// krill"),
        ("https://[::1 krill", "", "krill"),
        ("", "", ""),
    ],
)
def test_what_a_query_asks(query: str, url: str, words: str) -> None:
    assert split_url_from_query(query) == (url, words)


@given(st.text(max_size=300))
def test_any_query_is_taken_apart(query: str) -> None:
    url, words = split_url_from_query(query)
    assert url == "" or normalize_page_url(url) == url
    assert words == words.strip()


@given(st.text(max_size=100))
def test_any_link_leads_to_an_address_or_nowhere(link: str) -> None:
    found = resolve_link("https://a.example/b/c", link)
    assert found == "" or normalize_page_url(found) == found


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("d", "https://a.example/b/d"),
        ("/d#e", "https://a.example/d"),
        ("//b.example/", "https://b.example/"),
        ("mailto:x@y.example", ""),
        ("javascript:void(0)", ""),
        ("data:text/html,x", ""),
        ("http://[", ""),
        (None, ""),
        ("", ""),
    ],
)
def test_links(link: object, url: str) -> None:
    assert resolve_link("https://a.example/b/c", link) == url


class At(NamedTuple):
    url: str


def test_the_best_page_of_each_host_comes_first() -> None:
    urls = [
        "https://a.example/1",
        "https://www.a.example/2",
        "https://b.example/1",
        "https://a.example/3",
        "http://c.example",
    ]
    ordered = different_hosts([At(url) for url in urls])
    assert [urls.index(one.url) for one in ordered] == [0, 2, 4, 1, 3]
    assert different_hosts([]) == list[At]()


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("https://doi.org/10.1000/ABC", Identifiers(doi="10.1000/abc")),
        ("https://pubmed.ncbi.nlm.nih.gov/123/", Identifiers(pmid="123")),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC77/", Identifiers(pmcid="PMC77")),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC77/pdf/x.pdf", Identifiers(pmcid="PMC77")),
        ("https://arxiv.org/abs/2401.00001v2", Identifiers(arxiv="2401.00001")),
        ("https://arxiv.org/pdf/2401.00001", Identifiers(arxiv="2401.00001")),
        ("https://clinicaltrials.gov/study/NCT01234567", Identifiers(nct="NCT01234567")),
        ("https://pubmed.ncbi.nlm.nih.gov/?term=x", Identifiers(url="https://pubmed.ncbi.nlm.nih.gov/?term=x")),
        (
            "https://evil.example/pubmed.ncbi.nlm.nih.gov/123",
            Identifiers(url="https://evil.example/pubmed.ncbi.nlm.nih.gov/123"),
        ),
        ("https://www.ncbi.nlm.nih.gov/pmc/", Identifiers(url="https://www.ncbi.nlm.nih.gov/pmc/")),
    ],
)
def test_an_address_tells_which_work_it_is(url: str, named: Identifiers) -> None:
    assert identify_page(url, "") == named


def test_a_page_may_name_itself_on_its_own_host_only() -> None:
    assert identify_page("https://a.example/b?s=1", "https://www.a.example/b").url == "https://www.a.example/b"
    assert identify_page("https://a.example/b", "https://trusted.example/b").url == "https://a.example/b"
    assert identify_page("https://a.example/b", "https://doi.org/10.1000/abc").doi == ""


def test_a_doi_leads_to_its_work_wherever_that_is() -> None:
    named = identify_page("https://publisher.example/full/77", "", "https://doi.org/10.1000/Abc")
    assert named == Identifiers(doi="10.1000/abc")
    assert identify_page("https://a.example/b", "", "https://short.example/x").url == "https://a.example/b"
    assert identify_page("https://a.example/b", "", "https://doi.org/").url == "https://a.example/b"
