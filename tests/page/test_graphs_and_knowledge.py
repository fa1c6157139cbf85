"""Graphs of one's own are checked, kept, walked and deleted in the page; what runs found is walked by links."""

import json

from playwright.async_api import expect

from elcano.graphs.mode_choice import MODES
from tests.page.conftest import OpenPage
from tests.tour.runs import DONE, Tour


async def test_a_graph_of_ones_own_is_checked_kept_walked_and_deleted(open_tour_page: OpenPage) -> None:
    graph = {**MODES["simple"].model_dump(mode="json"), "name": "my_way"}
    async with open_tour_page() as page:
        await page.goto("/graphs")
        await page.get_by_text("Add a graph of your own").click()
        given = page.get_by_label("A graph of your own")
        form = page.locator("form[data-keep='/v1/graphs']")
        await given.fill("{")
        await form.get_by_role("button", name="Check").click()
        await expect(form.get_by_role("alert")).to_contain_text("This is not JSON")
        await given.fill(json.dumps({**graph, "entry_node": "nowhere"}))
        await form.get_by_role("button", name="Save").click()
        await expect(form.get_by_role("alert")).to_contain_text("nowhere")
        await given.fill(json.dumps(graph))
        await form.get_by_role("button", name="Check").click()
        await expect(form.get_by_role("status")).to_have_text("Valid: it can run.")
        await form.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("my_way")
        await page.get_by_label("Question").fill("Why?")
        await page.get_by_role("button", name="Walk").click()
        await expect(page.get_by_role("heading", name="The path it took")).to_be_visible()
        await expect(page.locator(".node.done")).not_to_have_count(0)
        await page.get_by_text("Delete the graph").click()
        await page.get_by_role("button", name="Delete").click()
        await page.wait_for_url("**/graphs")
        await expect(page.get_by_role("link", name="my_way")).to_have_count(0)


async def test_what_a_run_found_is_walked_without_scripts(open_tour_page: OpenPage, tour: Tour) -> None:
    async with open_tour_page(java_script_enabled=False) as page:
        await page.goto("/knowledge?q=crew&kind=run")
        await page.get_by_role("link", name=DONE).last.click()  # others bring it up to date
        await page.locator("li").get_by_role("link", name="The island").first.click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("The island")
        claim = await page.locator("li").get_by_role("link", name="speaks of it").first.inner_text()
        await page.get_by_role("link", name="How is it connected").click()
        await page.get_by_label("Words").fill(claim)
        await page.get_by_label("Kind").select_option("claim")
        await page.get_by_role("button", name="Find").click()
        await page.locator(".runs").get_by_role("link", name=claim).first.click()
        await expect(page.get_by_role("region", name="Way 1")).to_contain_text("cited by")
