"""The page's only source of data: the public API, asked in this process as the browser that asks for a page.

Whatever the page shows, a client can have. Nothing here reads a store or a service; a request goes through the whole
application, with the headers of the browser's own, so that who may see what is decided in one place.
"""

from collections.abc import Hashable, Mapping
from typing import Annotated, Any, Final, TypeAlias
from urllib.parse import quote

import httpx
from fastapi import Depends, Request

from elcano.api.http.errors import PROBLEM_MEDIA_TYPE

NOT_FORWARDED: Final = frozenset(
    {"accept", "accept-encoding", "connection", "content-length", "content-type", "if-none-match", "range"}
)
"""Headers that are about the page and not about who asks for it."""
SECONDS: Final = 30.0


class ApiProblem(Exception):
    """The API answered with a problem document (RFC 9457). The text is its detail."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(str(document.get("detail") or document.get("title", "")))
        self.document = document
        self.status = int(document["status"])


class PublicApi:
    """The public API as one browser may use it."""

    def __init__(self, request: Request) -> None:
        self._app = request.scope["app"]
        self._root: str = request.scope.get("root_path", "")
        self._base = f"{request.url.scheme}://{request.headers.get('host', 'localhost')}"
        self._client = (request.client.host, request.client.port) if request.client else ("127.0.0.1", 0)
        self._headers = [(name, value) for name, value in request.headers.items() if name not in NOT_FORWARDED]

    @property
    def asker(self) -> Hashable:
        """All that the API knows of who asks: those who are the same in it are answered the same."""
        return (self._app, self._root, self._base, self._client[0], *self._headers)

    async def fetch(
        self, path: str, *, accept: str = "application/json", body: Any = None, **parameters: Any
    ) -> httpx.Response:
        """Ask for a path, as it reads unescaped; parameters that are None are left out. It may be refused.

        With a `body`, it is posted as JSON.
        """
        chosen = {name: value for name, value in parameters.items() if value is not None}
        transport = httpx.ASGITransport(
            self._app, raise_app_exceptions=False, root_path=self._root, client=self._client
        )
        async with httpx.AsyncClient(transport=transport, base_url=self._base, timeout=SECONDS) as client:
            return await client.request(
                "GET" if body is None else "POST",
                quote(path),
                params=chosen,
                json=body,
                headers=httpx.Headers([*self._headers, ("accept", accept)]),
                follow_redirects=False,
            )

    async def get(self, path: str, **parameters: Any) -> Any:
        """Return the JSON at a path.

        Raises:
            ApiProblem: the API refused, with its reason.
        """
        return _read_answer(await self.fetch(path, **parameters))

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the answer of the API to a body; for what reads, such as a dry run, and changes nothing.

        Raises:
            ApiProblem: the API refused, with its reason.
        """
        return _read_answer(await self.fetch(path, body=body))

    async def find(self, path: str, **parameters: Any) -> Any:
        """Return the JSON at a path; None if the API does not have it, as where a plugin is left out.

        Raises:
            ApiProblem: the API refused for another reason.
        """
        try:
            return await self.get(path, **parameters)
        except ApiProblem as problem:
            if problem.status == httpx.codes.NOT_FOUND:
                return None
            raise

    async def find_readable(self, path: str, **parameters: Any) -> Any:
        """Return the JSON at a path; None if the caller may not have it, or while no one can read it."""
        try:
            return await self.get(path, **parameters)
        except ApiProblem:
            return None


def _read_answer(response: httpx.Response) -> Any:
    if response.is_success:
        return response.json() if response.content else None
    raise ApiProblem(_read_problem(response))


def _read_problem(response: httpx.Response) -> dict[str, Any]:
    if response.headers.get("content-type", "").startswith(PROBLEM_MEDIA_TYPE):
        return {"status": response.status_code, **response.json()}
    return {"status": response.status_code, "title": response.reason_phrase, "detail": response.text[:500]}


Api: TypeAlias = Annotated[PublicApi, Depends(PublicApi)]
"""A dependency of routes: the API as the caller may use it."""


async def name_keys(api: PublicApi) -> dict[str, str]:
    """The names of API keys, by their ids; empty for those who may not list them, who are shown the ids."""
    return {key["id"]: key["name"] for key in await api.find_readable("/v1/keys") or ()}


RUNS_READ_AT_ONCE: Final = 200
"""The most that the API lists."""
MOST_RUNS_READ: Final = 1_000
"""Rows of the largest table. Behind those of several tables, the next page of the list continues."""


async def list_single_runs(
    api: PublicApi, limit: int, *, before: str | None = None, **wanted: Any
) -> tuple[list[dict[str, Any]], str | None]:
    """List runs that were asked for one by one: those of batches and tables, up to a thousand each, would hide them.

    Args:
        api: the API of the caller.
        limit: how many runs are wanted.
        before: the cursor of an earlier list.
        wanted: filters and order, as the API has them.

    Returns:
        The runs, and the cursor of those behind them; None if there are no more.
    """
    found, cursor, read = list[dict[str, Any]](), before, 0
    while read < MOST_RUNS_READ and len(found) <= limit:
        page = await api.get("/v1/runs", limit=RUNS_READ_AT_ONCE if read else limit + 1, cursor=cursor, **wanted)
        read += len(page["runs"])
        found += [run for run in page["runs"] if run["priority"] != "batch"]
        cursor = page["next"]
        if cursor is None:
            break
    if len(found) <= limit:
        return found, cursor
    return found[:limit], found[limit - 1]["run_id"]
