"""One stack with runs in every state, and one browser, for all tests of the page."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Protocol

import pytest
from playwright.async_api import Browser, Page, expect

from tests.forked_programs import forked_programs
from tests.page.browsing import Watched, open_browser, open_page
from tests.tour.runs import Tour, touring

expect.set_options(timeout=60_000)  # how long a busy machine takes is nothing that a test here says anything of


class OpenPage(Protocol):
    """Opens a page of the tour's stack; `context` is what Playwright takes for a new one."""

    def __call__(self, **context: Any) -> AbstractAsyncContextManager[Page]: ...


@pytest.fixture(scope="package")
async def tour(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tour]:
    """A stack with a run that is done, one that failed, and others that wait or work."""
    with forked_programs():
        async with touring(tmp_path_factory.mktemp("tour")) as found:
            yield found


@pytest.fixture(scope="package")
async def browser() -> AsyncIterator[Browser]:
    async with open_browser() as found:
        yield found


@pytest.fixture
def watched() -> Iterator[Watched]:
    """What the pages of a test complained of: nothing."""
    found = Watched()
    yield found
    assert found.complaints == []


@pytest.fixture
def open_tour_page(tour: Tour, browser: Browser, watched: Watched) -> OpenPage:
    return partial(open_page, browser, tour.stack.settings.base_url, watched)
