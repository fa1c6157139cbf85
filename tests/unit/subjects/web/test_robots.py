"""What a site asks of robots is done."""

from collections.abc import AsyncIterator

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.activities.sources.http.fetching import Fetcher
from elcano.graphs.errors import SourceUnavailable
from elcano.subjects.web.page_reader import KEPT_SECONDS, MOST_SITES, Robots
from tests.loopback import Reply, loopback
from tests.unit.subjects.web.site import HTML, ROBOTS, serving, settings


@pytest.fixture
async def fetcher() -> AsyncIterator[Fetcher]:
    made = Fetcher(settings())
    yield made
    await made.close()


@pytest.mark.parametrize(
    ("rules", "allowed", "refused"),
    [
        ("User-agent: *\nDisallow: /private\n", "/open", "/private/a"),
        ("User-agent: elcano\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n", "/b", "/a"),
        ("User-agent: Elcano\nAllow: /a/b\nDisallow: /a\n", "/a/b", "/a/c"),
        ("user-agent: *\ndisallow: /*.pdf$\n", "/a.html", "/a.pdf"),
        ("\ufeffUser-agent: *\r\nDisallow: /p?q=\r\n", "/p", "/p?q=1"),
    ],
)
async def test_rules(fetcher: Fetcher, rules: str, allowed: str, refused: str) -> None:
    with loopback(serving({ROBOTS: Reply(rules, headers={"Content-Type": "text/plain"})})) as site:
        robots = Robots(fetcher)
        await robots.require(f"{site.url}{allowed}", trusted=True)
        with pytest.raises(FileSkipped, match=r"robots\.txt"):
            await robots.require(f"{site.url}{refused}", trusted=True)
        assert len(site.asked) == 1, "its rules are asked for once"


@pytest.mark.parametrize(
    "reply",
    [
        Reply("gone", status=404),
        Reply("no", status=403),
        Reply("<title>User-agent: *\nDisallow: /\n</title>", headers=HTML),
        Reply(""),
        Reply(b"\xff\xfe\x00garbage\x00" * 100),
        Reply("Disallow: /\n" * 10),
    ],
)
async def test_a_site_without_rules_allows_everything(fetcher: Fetcher, reply: Reply) -> None:
    with loopback(serving({ROBOTS: reply})) as site:
        await Robots(fetcher).require(f"{site.url}/a", trusted=True)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_rules_that_cannot_be_had_allow_nothing(fetcher: Fetcher, status: int) -> None:
    with loopback(serving({ROBOTS: Reply("", status=status)})) as site:
        robots = Robots(fetcher)
        with pytest.raises(SourceUnavailable, match=f"HTTP {status}"):
            await robots.require(f"{site.url}/a", trusted=True)
    with pytest.raises(SourceUnavailable):
        await robots.require(f"{site.url}/a", trusted=True)


@pytest.mark.parametrize(
    ("rules", "seconds"),
    [
        ("User-agent: *\nCrawl-delay: 10\n", 10.0),
        ("User-agent: *\nRequest-rate: 1/5\n", 5.0),
        ("User-agent: *\nCrawl-delay: soon\n", 0.0),
        ("", 0.0),
    ],
)
async def test_the_pause_that_a_site_wants(fetcher: Fetcher, rules: str, seconds: float) -> None:
    with loopback(serving({ROBOTS: Reply(rules)})) as site:
        assert await Robots(fetcher).delay(f"{site.url}/a", trusted=True) == seconds


async def test_rules_are_asked_for_again_after_an_hour(fetcher: Fetcher) -> None:
    now = [0.0]
    with loopback(serving({ROBOTS: Reply("")})) as site:
        robots = Robots(fetcher, clock=lambda: now[0])
        for now[0] in (0.0, KEPT_SECONDS, KEPT_SECONDS + 1, KEPT_SECONDS + 2):
            await robots.require(f"{site.url}/a", trusted=True)
        assert len(site.asked) == 2


async def test_no_more_sites_are_remembered_than_a_bound(fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elcano.subjects.web.page_reader.MOST_SITES", 2)
    assert MOST_SITES > 2
    robots = Robots(fetcher)
    with loopback(serving({})) as one, loopback(serving({})) as two, loopback(serving({})) as three:
        for site in (one, two, three, three, two, one):
            await robots.require(f"{site.url}/a", trusted=True)
        assert [len(site.asked) for site in (one, two, three)] == [2, 1, 1]
