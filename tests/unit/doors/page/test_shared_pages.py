"""A page is rendered once for all who ask for it together, and only for those who would be answered the same."""

import asyncio
from itertools import count

from fastapi import FastAPI, Request, Response

from elcano.doors.page.public_api import PublicApi
from elcano.doors.page.rendering import share_page

APP = FastAPI()
PORTS = count(50_000)


def ask(path: str = "/runs/a", cookie: str = "") -> Request:
    headers = [(b"host", b"localhost"), (b"accept", b"text/html"), (b"cookie", cookie.encode())]
    client = ("127.0.0.1", next(PORTS))
    scope = {"type": "http", "method": "GET", "app": APP, "scheme": "http", "path": path, "query_string": b""}
    return Request({**scope, "headers": headers, "client": client, "server": ("localhost", 80)})


async def test_browsers_that_ask_together_share_two_renderings_and_others_have_their_own() -> None:
    rendered, begun, go_on = list[str](), asyncio.Event(), asyncio.Event()

    async def open_page(request: Request) -> Response:
        async def render() -> Response:
            rendered.append(request.url.path + request.headers["cookie"])
            begun.set()
            await go_on.wait()
            return Response(f"page {len(rendered)}", headers={"Vary": "Cookie"})

        return await share_page(request, PublicApi(request), render)

    first = asyncio.create_task(open_page(ask()))
    await begun.wait()
    others = [ask() for _ in range(19)] + [ask(cookie="session=b"), ask("/runs/b")]
    asked = [asyncio.create_task(open_page(one)) for one in others]
    go_on.set()
    pages = [await first, *await asyncio.gather(*asked)]
    assert sorted(rendered) == ["/runs/a", "/runs/a", "/runs/asession=b", "/runs/b"]
    assert len({id(page) for page in pages}) == len(pages)  # what is added to one on its way is not added to another
    assert {page.headers["vary"] for page in pages} == {"Cookie"}
