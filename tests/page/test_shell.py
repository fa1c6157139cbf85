"""What every page has: keyboard and phone reach it, it says what is wrong, and loads nothing from elsewhere."""

import re
from collections.abc import Iterable
from pathlib import Path

import httpx
import pytest
from playwright.async_api import expect

from elcano.doors.page.rendering import CONTENT_POLICY, FILES, VERSION
from tests.page.browsing import MAGNIFIED, PHONE, find_violations, measure_overflow
from tests.page.conftest import OpenPage
from tests.tour.runs import DEEP, DONE, SPENT, Tour

SCRIPT_BYTES = 36_000
"""Scripts that one page loads, with the modules that they import."""
STYLE_BYTES = 33_000
"""Styles that one page loads."""
ALL_BYTES = 240_000
"""All scripts, styles and templates."""
PLACES = (
    *("/", "/runs", "/tables", "/schedules", "/usage?by=model", "/set-up", "/nothing-here"),
    *("/graphs", "/graphs/deep?question=Why", "/agents/judge", "/knowledge?q=island"),
)


TEMPLATES = Path(__file__).parents[2] / "doors" / "page" / "templates"
BASE = (TEMPLATES / "base.html").read_text(encoding="utf-8")


def measure_modules(names: Iterable[str]) -> int:
    """The bytes of scripts and of every module that they import, each once."""
    loaded: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in loaded:
            loaded.add(name)
            waiting += re.findall(r'from "\./([\w.]+)"', FILES[name].decode())
    return sum(len(FILES[name]) for name in loaded)


@pytest.mark.parametrize("template", sorted(TEMPLATES.glob("*.html")), ids=lambda template: template.stem)
def test_what_a_page_loads_stays_within_its_budget(template: Path) -> None:
    named = re.findall(r"static\('([\w.]+)'\)", template.read_text(encoding="utf-8") + BASE)
    scripts = [name for name in named if name.endswith(".js")]
    assert measure_modules(scripts) <= SCRIPT_BYTES
    assert sum(len(FILES[name]) for name in {*named} if name.endswith(".css")) <= STYLE_BYTES


def test_all_files_of_the_page_stay_within_their_budget() -> None:
    assert sum(map(len, FILES.values())) + sum(file.stat().st_size for file in TEMPLATES.iterdir()) <= ALL_BYTES


@pytest.mark.parametrize("template", sorted(TEMPLATES.glob("*.html")), ids=lambda template: template.stem)
def test_what_scripts_send_never_gets_into_an_address_by_a_press_before_they_are_there(template: Path) -> None:
    """A form of the method `dialog` outside of a dialog sends nothing by itself (HTML standard, 4.10.21.3)."""
    forms = re.findall("<form [^>]*>", template.read_text(encoding="utf-8"))
    assert [one for one in forms if not re.search('role="search"| action="| method="dialog"', one)] == []


def test_no_rule_makes_a_change_of_the_page_restyle_all_that_is_beside_it() -> None:
    """Any element after another: where a line comes or goes, a browser looks at everything beside it again."""
    styles = b"".join(content for name, content in FILES.items() if name.endswith(".css"))
    assert re.search(rb"[+~] ?[*:]", styles) is None


async def test_pages_are_served_with_their_policy_and_files_are_kept(tour: Tour) -> None:
    headers = {"Accept": "text/html"}
    async with httpx.AsyncClient(base_url=tour.stack.settings.base_url, headers=headers, timeout=60) as client:
        page = await client.get("/")
        assert page.headers["content-security-policy"] == CONTENT_POLICY
        assert page.headers["content-type"].startswith("text/html")
        kept = await client.get(f"/static/{VERSION}/base.css")
        assert "immutable" in kept.headers["cache-control"]
        older = await client.get("/static/000000000000/base.css")
        assert (older.status_code, older.headers["cache-control"]) == (200, "no-cache")
        assert (await client.get(f"/static/{VERSION}/../plugin.py")).status_code == 404
        assert (await client.get(f"/static/{VERSION}/none.css")).status_code == 404
        assert (await client.get("/", headers={"Accept": "application/json"})).json()["name"] == "Elcano"
        unknown = await client.get("/runs/default-01kb1q3yw5v7c8m2n4p6r8t0vx")
        assert (unknown.status_code, unknown.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "there is no run" in unknown.text
        sly = await client.get("/runs/default-01kb1q3yw5v7c8m2n4p6r8t0vx%3Fpending=no%23")
        assert (sly.status_code, "pending=no#" in sly.text) == (404, True)
        assert (await client.get("/v1/nothing")).headers["content-type"] == "application/problem+json"


async def test_what_is_not_there_leads_to_the_list_of_its_kind(tour: Tour) -> None:
    async with httpx.AsyncClient(base_url=tour.stack.settings.base_url, headers={"accept": "text/html"}) as client:
        for path, words in (
            ("/schedules/none", "All schedules"),
            ("/tables/none", "All tables"),
            ("/runs/x", "All runs"),
        ):
            answer = await client.get(path)
            assert (answer.status_code, words in answer.text, "GET " in answer.text) == (404, True, False), path


async def test_pages_are_for_everybody(open_tour_page: OpenPage, tour: Tour) -> None:
    done, deep = f"/runs/{tour.runs[DONE]}", f"/runs/{tour.runs[DEEP]}"
    async with open_tour_page(viewport=PHONE) as page:
        compared = f"/compare?run={tour.runs[DONE]}&run={tour.runs[DEEP]}"
        of_run = (
            f"{done}?view=overview",
            *(f"{done}/{one}" for one in ("steps", "steps/8", "sources", "report", "certificate")),
            deep,
        )
        for place in (*PLACES, *of_run, compared):
            await page.goto(place)
            assert await find_violations(page) == [], place
            assert await measure_overflow(page) == 0, place
            await page.emulate_media(color_scheme="dark")
            assert await find_violations(page, "color-contrast") == [], f"{place} in the dark"
            await page.emulate_media(color_scheme="light")


COVERS = """() => { document.getElementById('says').textContent = 'told '.repeat(20);
  document.getElementById('says').classList.add('shown'); }"""
IS_ON_TOP = """one => { const { x, y, width, height } = one.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2) === one; }"""


async def test_nothing_is_cut_or_covered_on_a_screen_magnified_four_times(open_tour_page: OpenPage) -> None:
    async with open_tour_page(viewport=MAGNIFIED) as page:
        await page.goto("/runs")
        question = page.get_by_role("link", name=SPENT)
        assert await question.evaluate("one => one.scrollHeight <= one.clientHeight")
        await page.evaluate(COVERS)
        for link in (question, page.get_by_role("link", name="API manual")):
            await link.focus()
            assert await link.evaluate(IS_ON_TOP)
        await page.goto("/usage?by=model")
        assert await page.get_by_role("rowheader").first.evaluate("one => one.offsetWidth >= 96")


async def test_the_keyboard_leads_to_the_content_first(open_tour_page: OpenPage) -> None:
    async with open_tour_page() as page:
        await page.goto("/runs")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        await expect(page.locator("main :focus")).to_have_count(1)


async def test_a_run_is_reached_from_the_list_without_scripts(open_tour_page: OpenPage) -> None:
    async with open_tour_page(java_script_enabled=False) as page:
        await page.goto("/")
        await page.get_by_role("link", name="Runs", exact=True).click()
        await page.get_by_role("link", name=DONE).last.click()  # others follow it
        assert await page.get_by_role("heading", level=1).inner_text() == DONE
