"""No spelling of a private address passes, directly, by a name, by a redirect or by a name that is bound anew."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.sources.http.allowed_addresses import (
    Request,
    address_of,
    follow_redirect,
    kind_of,
    require_public,
)
from elcano.activities.sources.http.fetching import Fetcher
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from tests.internet import PUBLIC, Internet
from tests.loopback import Asked, Reply, loopback
from tests.unit.activities.sources.http import hostile
from tests.unit.activities.sources.http.reading import chosen

USUAL = chosen()


def host(address: str) -> str:
    return f"[{address}]" if ":" in address else address


@pytest.fixture
def service() -> Iterator[Internet]:
    """Redirects wherever the query says; else says `read`."""

    def answering(asked: Asked) -> Reply:
        to = asked.query.get("to")
        return Reply("", status=302, headers={"Location": to}) if to else Reply("read")

    with loopback(answering) as running:
        yield Internet(running.url)


async def read(internet: Internet, url: str, **params: str) -> str:
    fetcher = Fetcher(USUAL, internet.network)
    try:
        return (await fetcher.fetch("test", url, params=params)).text
    finally:
        await fetcher.close()


def test_a_private_address_is_told() -> None:
    assert [address for address in hostile.PRIVATE if not kind_of(ip_address(address))] == []


def test_a_public_address_passes() -> None:
    assert [address for address in hostile.PUBLIC if kind_of(ip_address(address)) != ""] == []


@given(st.ip_addresses(v=4))
def test_no_address_passes_that_python_calls_private(address: IPv4Address) -> None:
    if not kind_of(address):
        assert address.is_global


@given(st.ip_addresses(v=6))
def test_no_address_of_ipv6_passes_that_python_calls_private(address: IPv6Address) -> None:
    if not kind_of(address):
        assert address.is_global or address.ipv4_mapped or address in hostile.NAT64


@given(st.ip_addresses(v=4))
def test_an_address_within_another_is_what_it_is_alone(address: IPv4Address) -> None:
    for carrier in ("::ffff:0:0", "64:ff9b::"):
        assert kind_of(IPv6Address(int(IPv6Address(carrier)) + int(address))) == kind_of(address)


async def test_nothing_private_is_asked(service: Internet, subtests: pytest.Subtests) -> None:
    for spelled in (*map(host, hostile.PRIVATE), *hostile.SPELLED, *hostile.NAMES):
        internet = Internet(service.url)
        with subtests.test(spelled=spelled):
            for scheme in ("http", "https"):
                with pytest.raises(SourceRefused):
                    await read(internet, f"{scheme}://{spelled}/")
            assert internet.connected == []


async def test_what_is_no_address_of_the_web_is_refused(service: Internet, subtests: pytest.Subtests) -> None:
    for address in hostile.ADDRESSES:
        internet = Internet(service.url)
        with subtests.test(address=address):
            with pytest.raises(SourceRefused):
                await read(internet, address)
            assert internet.connected == []


REDIRECTS = (
    *(f"http://{host(address)}/" for address in hostile.PRIVATE),
    *(f"http://{spelled}/" for spelled in (*hostile.SPELLED, *hostile.NAMES) if spelled.isascii()),
    *("http://example.com:8080/", "ftp://example.com/", "http://user:password@example.com/", "//127.0.0.1/"),
    *("file:///etc/passwd", "gopher://example.com/", "http://", "https:", "http://[::1", "javascript:alert(1)"),
)


async def test_no_redirect_leads_into_a_private_network(service: Internet, subtests: pytest.Subtests) -> None:
    for address in REDIRECTS:
        internet = Internet(service.url)
        with subtests.test(address=address):
            with pytest.raises(SourceRefused):
                await read(internet, "http://example.com/", to=address)
            assert internet.connected == [(PUBLIC, 80)]


NAMED = (*hostile.PRIVATE, "fe80::1%2", "::1%lo", "fd00::1%eth0")


async def test_no_name_leads_into_a_private_network(service: Internet, subtests: pytest.Subtests) -> None:
    for address in NAMED:
        for answers in ([address], [PUBLIC, address], [address, PUBLIC], [*[PUBLIC] * 9, address]):
            internet = Internet(service.url, names={"example.com": [answers]})
            with subtests.test(answers=answers):
                with pytest.raises(SourceRefused, match=r"'example\.com' leads to no public address"):
                    await read(internet, "http://example.com/")
                assert internet.connected == []


async def test_a_name_is_resolved_once_and_connected_to_as_it_was_checked(service: Internet) -> None:
    internet = Internet(service.url, names={"example.com": [[PUBLIC], ["127.0.0.1"]]})
    assert await read(internet, "http://example.com/") == "read"
    assert internet.resolved == ["example.com"]
    assert internet.connected == [(PUBLIC, 80)]


async def test_a_name_that_is_bound_anew_is_checked_anew(service: Internet) -> None:
    internet = Internet(service.url, names={"example.com": [[PUBLIC], ["127.0.0.1"]]})
    fetcher = Fetcher(chosen(), internet.network)
    await fetcher.fetch("test", "http://example.com/")
    with pytest.raises(SourceRefused, match="loopback"):
        await fetcher.fetch("test", "http://example.com/again")
    await fetcher.close()
    assert internet.connected == [(PUBLIC, 80)]


async def test_what_was_opened_for_a_trusted_address_serves_no_other(service: Internet) -> None:
    internet = Internet(service.url, names={"example.com": [["10.0.0.1"]]})
    fetcher = Fetcher(chosen(), internet.network)
    await fetcher.fetch("test", "http://example.com/", trusted=True)
    with pytest.raises(SourceRefused, match="private"):
        await fetcher.fetch("test", "http://example.com/")
    await fetcher.close()
    assert internet.connected == [("10.0.0.1", 80)]


async def test_the_next_address_of_a_name_is_tried() -> None:
    with loopback(lambda asked: Reply("read")) as running:
        internet = Internet(running.url, names={"example.com": [["192.5.6.30", PUBLIC]]}, dead=["192.5.6.30"])
        assert await read(internet, "http://example.com/") == "read"
    assert internet.connected == [("192.5.6.30", 80), (PUBLIC, 80)]


@pytest.mark.parametrize("answers", [[], ["example.org"], [""]])
async def test_a_name_that_leads_nowhere_is_no_answer(service: Internet, answers: list[str]) -> None:
    internet = Internet(service.url, names={"example.com": [answers]})
    with pytest.raises((SourceUnavailable, SourceRefused), match=r"example\.com"):
        await read(internet, "http://example.com/")
    assert internet.connected == []


async def test_the_host_is_asked_for_by_its_name(service: Internet) -> None:
    with loopback(lambda asked: Reply(asked.headers["host"])) as running:
        assert await read(Internet(running.url), "http://Müller.example.com/") == "xn--mller-kva.example.com"


@given(st.text(max_size=40) | st.from_regex(r"(https?:)?/{0,3}[^/]{0,20}/?.{0,10}"), st.booleans())
def test_any_redirect_is_followed_with_care_or_refused(location: str, inside: bool) -> None:
    request = Request("GET", httpx.URL("http://10.0.0.1/page"), {"X-Key": "key"}, None, inside)
    headers = [(b"Location", location.encode("utf-8", errors="surrogatepass"))]
    try:
        following = follow_redirect("test", request, httpx.Response(302, headers=headers))
    except SourceRefused:
        return
    assert following is not None
    same = (following.address.host, following.address.port) == ("10.0.0.1", None)
    assert following.inside is (inside and same and following.address.scheme == "http")
    assert bool(following.headers) is same


@given(st.text(max_size=40), st.sampled_from(["", "http://", "https://", "http://a@", "http://[", "//", "http://127."]))
def test_any_text_is_an_address_or_refused(text: str, before: str) -> None:
    try:
        require_public("test", address := address_of("test", before + text))
    except SourceRefused:
        return
    assert isinstance(address, httpx.URL)
    assert address.scheme in ("http", "https")
    assert "." in address.host or ":" in address.host
