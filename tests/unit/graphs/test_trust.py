"""Lists of domains, journals and kinds: what fits an entry, what only looks as if it did, and what is no entry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.host_names import canonicalize_host, find_contradictions, find_matching_domain, parse_domain
from elcano.graphs.host_names import is_private_address as is_private
from elcano.graphs.report.works import Identifiers, Work
from elcano.graphs.trust import Trust
from elcano.graphs.trust_rules import explain_contact_refusal, explain_passage_refusal, parse_issn, parse_journal

LABEL = st.sampled_from(["a", "ab", "b", "example", "org", "xn--x", "B\u00fccher", "0", "a-b"])
NAME = st.lists(LABEL, min_size=1, max_size=4).map(".".join).filter(lambda name: not name.endswith("0"))


def fits(url_host: str, *entries: str) -> bool:
    return bool(find_matching_domain(canonicalize_host(url_host), tuple(map(parse_domain, entries))))


@given(NAME, NAME)
def test_a_domain_is_itself_and_what_is_below_it_and_nothing_else(name: str, other: str) -> None:
    for host in (name, f"{other}.{name}", f"{name}.", name.upper()):
        assert fits(host, name)
    assert fits(f"{other}.{name}", f"*.{name}")
    assert not fits(name, f"*.{name}")
    assert not fits(f"x{name}", name)
    assert fits(other, name) == f".{other}".lower().endswith(f".{name}".lower())
    assert fits(f"{name}.{other}", name) == f".{name}.{other}".lower().endswith(f".{name}".lower())
    assert parse_domain(parse_domain(name)) == parse_domain(name)


@pytest.mark.parametrize(
    ("host", "entry", "expected"),
    [
        ("EXAMPLE.org.", "example.org", True),
        ("example.org.evil.com", "example.org", False),
        ("notexample.org", "example.org", False),
        ("example.org", "EXAMPLE。org", True),
        ("xn--bcher-kva.example", "Bücher.example", True),
        ("bücher.example", "xn--bcher-kva.example", True),
        ("xn--fa-hia.de", "faß.de", True),
        ("fass.de", "faß.de", False),
        ("xn--example-.org", "example.org", False),  # IDNA of what is ASCII: another name to a resolver
        ("xn--exmple-cua.org", "example.org", False),
        ("p\u0430ypal.com", "paypal.com", False),  # a Cyrillic letter
        ("a.nih.gov", "*.gov", True),
        ("gov", "*.gov", False),
        ("1.2.3.4", "1.2.3.4", True),
        ("11.2.3.4", "1.2.3.4", False),
    ],
)
def test_hosts_that_are_written_otherwise_or_look_alike(host: str, entry: str, expected: bool) -> None:
    assert fits(host, entry) is expected


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("*", "no domain|asterisk"),
        ("*.", "no domain"),
        ("*.*", "asterisk"),
        ("ex*mple.org", "asterisk"),
        (".org", r"begins with a full stop: write '\*.org'"),
        ("http://", "is an address: write the domain alone, such as 'example.org'"),
        ("https://user:x@example.org:8080/path", "is an address: write the domain alone, 'example.org'"),
        ("example.org/path", "'example.org'"),
        ("example.org:8080", "has a port"),
        ("::1", "IPv6"),
        ("a..b", "no domain"),
        ("(a|b)+$", "no domain"),
        ("x" * 64 + ".org", "no domain"),
        (".".join(["label"] * 50), "no domain"),
        ("3.4", "ends in a number"),
        ("*.4", "ends in a number"),
        ("256.1.1.1", "ends in a number"),
        ("", "no domain"),
        ("-a.org", "no domain"),
        ("exa\u200bmple.org", "no domain"),
    ],
)
def test_what_is_no_domain_is_refused_with_what_to_write(entry: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_domain(entry)


@pytest.mark.parametrize(
    ("allowed", "blocked", "count"),
    [
        (["example.org"], ["example.org"], 1),
        (["a.example.org", "*.example.org"], ["example.org"], 2),
        (["*.gov"], ["gov"], 1),
        (["*.gov"], ["*.gov"], 1),
        (["a.gov"], ["*.gov"], 1),
        (["gov"], ["*.gov"], 0),
        (["example.org"], ["a.example.org"], 0),
    ],
)
def test_what_is_allowed_and_wholly_blocked_contradicts_itself(
    allowed: list[str], blocked: list[str], count: int
) -> None:
    assert len(find_contradictions(allowed, blocked)) == count


def test_journals_are_known_by_issn_and_by_name_however_it_is_written() -> None:
    assert parse_issn("0140-6736") == parse_issn(" 01406736 ") == "0140-6736"
    assert parse_issn("2434-561x") == "2434-561X"
    assert parse_issn("0140-6737") == ""
    names = ("The Lancet", "LANCET", "Lancet (London, England)", " lancet. ")
    assert {parse_journal(name) for name in names} == {"lancet"}
    assert parse_journal("Food & Function") == parse_journal("Food and function")
    assert parse_journal("Lancet Oncology") != "lancet"
    assert parse_journal("?!") == ""


def refusal(trust: Trust, kind: str = "page", locator: str = "", work: Work | None = None) -> str:
    return explain_passage_refusal(trust, kind, locator, work, ("wiki.example.org:8080",))


DOI = "https://doi.org/10.1/x"


@pytest.mark.parametrize(
    ("trust", "kind", "locator", "work", "said"),
    [
        (Trust(blocked_domains=("evil.com",)), "page", "http://www.evil.com:8080/a", None, "evil.com is blocked"),
        # Any of its addresses is enough to block it.
        (Trust(blocked_domains=("evil.com",)), "article", DOI, Work(url="http://evil.com/"), "evil.com is blocked"),
        (Trust(allowed_domains=("who.int",)), "page", "https://who.int.evil.com/", None, "not among the allowed"),
        (Trust(allowed_domains=("who.int",)), "page", "https://www.who.int/x", None, ""),
        (Trust(blocked_domains=("evil.com",)), "page", "HTTP://EVIL.com:99999/", None, "evil.com is"),
        (Trust(blocked_domains=("evil.com",)), "page", " HTTPS://EVIL.com/", None, "evil.com is blocked"),
        # A page says itself which site it is on, and what its address should be.
        (
            Trust(allowed_journals=("lancet",)),
            "page",
            "https://x.org",
            Work(kind="page", venue="Lancet"),
            "x.org is not",
        ),
        (Trust(allowed_domains=("who.int",)), "page", "https://x.org", Work(url="https://who.int"), "x.org is not"),
        # A DOI is a name; where it leads is not known from it.
        (Trust(allowed_domains=("nature.com",)), "article", DOI, Work(), "doi.org is not among the allowed"),
        (Trust(allowed_domains=("who.int",)), "document", "guide.md#1", None, ""),
        (Trust(allowed_domains=("who.int",)), "document", DOI, Work(kind="document"), "not among the allowed"),
        (Trust(allowed_domains=("who.int",)), "other", "somewhere", None, "without an address"),
        (Trust(allowed_journals=("lancet",)), "page", DOI, Work(venue="The Lancet", kind="article"), ""),
        (Trust(allowed_journals=("0140-6736",)), "page", DOI, Work(venue="L", issns=("0140-6736",)), ""),
        (Trust(allowed_journals=("lancet",)), "page", "https://who.int/", None, "not among the allowed"),
        (Trust(allowed_journals=("lancet",), allowed_domains=("who.int",)), "page", "https://who.int/", None, ""),
        (
            Trust(blocked_journals=("0140-6736",)),
            "page",
            DOI,
            Work(venue="L", issns=("0140-6736",)),
            "'0140-6736' is blocked",
        ),
        (Trust(allowed_kinds=("review",)), "page", DOI, Work(kind="article"), "'article' is not among"),
        (Trust(blocked_kinds=("database",)), "database", "sales", None, "'database' is blocked"),
        (Trust(allowed_domains=("who.int",)), "tool", "mcp:a/b", None, "tool's answer is from is unknown"),
        (Trust(allowed_domains=("who.int",), allowed_kinds=("tool",)), "tool", "mcp:a/b", None, ""),
        (Trust(egress="public"), "document", "guide.md", None, "it is private"),
        (Trust(egress="public"), "page", "http://10.0.0.5/", None, "it is private"),
        (Trust(egress="private"), "document", "http://[::1", None, ""),
        (Trust(egress="public"), "page", "http://wiki.example.org:8080/", None, "it is private"),
        # What is stored already, or is on a private mirror, is not fetched again.
        (Trust(egress="private"), "page", "http://wiki.example.org/", None, ""),
        (Trust(egress="private"), "document", "guide.md", None, ""),
    ],
)
def test_passages_are_judged_by_kind_address_and_journal(
    trust: Trust, kind: str, locator: str, work: Work | None, said: str
) -> None:
    why = refusal(trust, kind, locator, work)
    assert said in why
    assert bool(said) == bool(why)


@pytest.mark.parametrize(
    "work", [Work(kind="article", flags=("preprint",)), Work(identifiers=Identifiers(doi="10.48550/arxiv.1"))]
)
def test_a_preprint_is_one_whatever_kind_its_source_says(work: Work) -> None:
    assert "'preprint' is blocked" in refusal(Trust(blocked_kinds=("preprint",)), "x", DOI, work)
    assert not refusal(Trust(allowed_kinds=("preprint",)), "x", DOI, work)


@pytest.mark.parametrize(
    ("host", "private", "scopes"),
    [
        ("api.openai.com", False, {"any", "public"}),
        ("localhost", True, {"any", "private"}),
        ("Ollama.internal.", True, {"any", "private", "hosts"}),
    ],
)
def test_hosts_are_contacted_within_the_scope_alone(host: str, private: bool, scopes: set[str]) -> None:
    hosts = ("ollama.internal",)
    trusts = {"any": Trust(), "public": Trust(egress="public"), "private": Trust(egress="private")}
    trusts["hosts"] = Trust(egress="hosts", egress_hosts=hosts)
    open_to = {name for name, one in trusts.items() if not explain_contact_refusal(one, host, is_private=private)}
    assert open_to == scopes


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://10.1.2.3/", True),
        ("http://[::1]:9/", True),
        ("http://ollama:11434/", True),
        ("http://x.home.arpa/", True),
        ("https://wiki.example.org./", True),
        ("https://wiki.example.org:8443/", False),
        ("https://8.8.8.8/", False),
        ("http://[::ffff:8.8.8.8]/", False),
        ("http://[::ffff:10.0.0.1]/", True),
    ],
)
def test_private_is_what_is_so_by_its_name_or_number_or_the_operators_word(url: str, expected: bool) -> None:
    assert is_private(url, ("Wiki.example.org",)) is expected
