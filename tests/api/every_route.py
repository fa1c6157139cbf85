"""Requests for every route of the OpenAPI document, made from the document: a new route is asked as well."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx

NODE: Final = "claim-" + "0" * 24
METHODS: Final = ("get", "post", "put", "patch", "delete")
"""In the order in which a run survives them."""


@dataclass(frozen=True)
class Route:
    """A route, and a body that it understands."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    public: bool = False
    """Whether the document says that it answers everybody."""

    @property
    def about_a_run(self) -> bool:
        return "{run_id}" in self.path

    @property
    def asks_who(self) -> bool:
        """Health, the manual, signing in and what a link leads to are for everybody; the rest is not."""
        return not self.public or (self.method, self.path) == ("get", "/v1/session")

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.path}"

    async def ask(self, client: httpx.AsyncClient, run_id: str = "", **headers: str) -> httpx.Response:
        return await client.request(self.method, self.fill_path(run_id), json=self.body, headers=headers)

    def fill_path(self, run_id: str) -> str:
        """The path with something in place of each name."""
        names = {"run_id": run_id, "other_id": run_id, "name": "iterative", "step": 1, "number": 1, "node_id": NODE}
        names |= {"form": "csv", "collection": "handbook", "path": "a.txt", "page": 1, "row": 0, "column": 0}
        unknown = ("user", "key_id", "link_id", "link", "tenant", "webhook_id", "message_id", "batch_id", "table_id")
        return self.path.format(**names, **dict.fromkeys(unknown, "none"))


def routes(document: Mapping[str, Any]) -> list[Route]:
    """All routes, those last that leave the least."""
    found = list(_routes(document))
    return sorted(found, key=lambda route: METHODS.index(route.method))


def _routes(document: Mapping[str, Any]) -> Iterator[Route]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            body = None if content is None else _example(content["schema"], document)
            yield Route(method, path, body, public=operation.get("security") == [])


def _example(schema: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """A body with the first example of each field that has one, and of those without what is required must not be."""
    forms = [schema, *schema.get("anyOf", ()), *schema.get("oneOf", ())]
    named = next((form["$ref"] for form in forms if "$ref" in form), None)
    if named is None:
        return {}
    model = document["components"]["schemas"][named.rpartition("/")[2]]
    if "oneOf" in model or "anyOf" in model:
        return _example(model, document)
    return {name: field["examples"][0] for name, field in model["properties"].items() if field.get("examples")}
