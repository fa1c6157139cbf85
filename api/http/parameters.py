"""No parameter is ignored: one of the query that a route does not have is refused, with the names of those it has.

Which it has is read off the API's own document, so a route says it once. A client that misspells the mark of the next
page would otherwise be given the first one for ever.
"""

from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute

from elcano.api.http.errors import FieldFault, RequestInvalid


async def refuse_unknown_parameters(request: Request) -> None:
    """A dependency of every route.

    Raises:
        RequestInvalid: the query has parameters that the route does not have; all are named.
    """
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute) or not route.include_in_schema:
        return
    operation: dict[str, Any] = request.app.openapi()["paths"][route.path_format][request.method.lower()]
    known = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if unknown:
        said = f"is no parameter of this path, which has {', '.join(known)}" if known else "is unknown: there are none"
        raise RequestInvalid([FieldFault(field=name[:100], message=said) for name in unknown[:20]])
