"""The rules of a run hold for each address that is asked on its behalf: redirects, robots.txt, caches, services."""

from pathlib import Path
from typing import Any

import pytest

from elcano.activities.sources.http.fetching import Fetcher, Service
from elcano.activities.sources.http.trust_guard import apply_trust
from elcano.graphs.errors import SourceRefused
from elcano.graphs.trust import Trust
from elcano.subjects.web.page_reader import Reader
from tests.internet import Internet
from tests.loopback import Reply, loopback
from tests.unit.activities.sources.http.reading import chosen, fetching

ALLOWED = Trust(allowed_domains=("example.com",))
BLOCKED = Trust(blocked_domains=("evil.org",))


@pytest.mark.parametrize("trust", [ALLOWED, BLOCKED])
@pytest.mark.parametrize("to", ["http://evil.org/x", "//EVIL.org./x", "https://a.evil.org:443/"])
async def test_no_redirect_leads_to_a_host_that_is_refused(trust: Trust, to: str) -> None:
    with loopback(lambda asked: Reply("moved", status=302, headers={"Location": to})) as running:
        async with fetching(running.url) as fetcher:
            with apply_trust(trust, ()), pytest.raises(SourceRefused, match=r"refused by the asker's list: .*evil"):
                await fetcher.fetch("test", "http://example.com/0")
        assert [asked.headers["host"] for asked in running.asked] == ["example.com"]


async def test_nothing_is_asked_of_a_refused_host_not_even_its_robots_txt() -> None:
    with loopback(lambda asked: Reply("<p>Pancakes need flour and milk.")) as running:
        async with fetching(running.url) as fetcher:
            reader = Reader("web", fetcher)
            with apply_trust(ALLOWED, ()), pytest.raises(SourceRefused, match="not among the allowed domains"):
                await reader.read("http://example.com.evil.org/page")
            await reader.close()
        assert running.asked == []


@pytest.mark.parametrize("megabytes", [0, 50])
async def test_a_page_that_another_run_left_in_a_cache_is_not_handed_out(tmp_path: Path, megabytes: int) -> None:
    with loopback(lambda asked: Reply("page", headers={"Content-Type": "text/html"})) as running:
        settings = chosen(page_cache_mb=megabytes, data_dir=tmp_path)
        fetcher = Fetcher(settings, Internet(running.url).network)
        await fetcher.fetch("test", "http://evil.org/page")
        with apply_trust(BLOCKED, ()), pytest.raises(SourceRefused, match=r"evil\.org is blocked"):
            await fetcher.fetch("test", "http://evil.org/page")
        assert (await fetcher.fetch("test", "http://evil.org/page")).text == "page"  # the rules were of that run alone
        await fetcher.close()


async def test_services_are_no_content_but_within_the_egress_scope() -> None:
    with loopback(lambda asked: Reply("{}")) as running:
        settings = chosen(service_urls={"inner": running.url}, private_hosts=("127.0.0.1:9",))
        fetcher = Fetcher(settings, Internet(running.url).network)
        outer, inner = (
            Service("outer", "http://example.com", settings, fetcher),
            Service("inner", "", settings, fetcher),
        )
        with apply_trust(Trust(allowed_domains=("who.int",)), ()):
            await outer.get("works")
        for trust, reached, refused in (
            (Trust(egress="private"), inner, outer),
            (Trust(egress="public"), outer, inner),
            (Trust(egress="hosts", egress_hosts=("example.com",)), outer, inner),
        ):
            with apply_trust(trust, settings.private_hosts):
                await reached.get("works")
                with pytest.raises(SourceRefused, match="outside the egress scope"):
                    await refused.get("works")
        await fetcher.close()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://127.0.0.1/", "egress"),
        ("http://0x7f.1/", "egress"),
        ("http://wiki.internal/", "egress"),
        ("http://[::ffff:8.8.8.8]/", "egress"),
    ],
)
async def test_a_scope_opens_nothing_that_the_operator_has_not(address: str, said: Any) -> None:
    async with fetching("http://127.0.0.1:9") as fetcher:
        with apply_trust(Trust(egress="private"), ()), pytest.raises(SourceRefused, match=said):
            await fetcher.fetch("test", address)
