"""Modes and domains: by which graphs a run can go, and by the standards of which field its evidence is judged."""

from fastapi import APIRouter

from elcano.api.http.errors import RequestInvalid, problem_docs
from elcano.api.http.mode_views import ModeView
from elcano.api.runs.domains import list_rubrics
from elcano.api.runs.extras import lacking_extras
from elcano.api.services import Provided
from elcano.graphs.modes import MODES
from elcano.graphs.state.rubric import Rubric

router = APIRouter(prefix="/v1", responses=problem_docs(RequestInvalid))


@router.get("/modes", tags=["graphs"])
async def list_modes(services: Provided) -> list[ModeView]:
    """List the built-in modes: the purpose, graph, cost, requirements and limits of each.

    Whether it can be run at the moment say the workers: a mode that needs an extra that one of them lacks is refused.
    Graphs of your own are modes too: `GET /v1/graphs` lists them with these.
    """
    settings = services.settings
    lacking = await lacking_extras(services.temporal)
    if not settings.mcp_servers:
        lacking -= {"mcp"}
    return [ModeView.of(name, databases=bool(settings.databases), lacking=lacking) for name in MODES]


@router.get("/domains", tags=["runs"])
async def list_domains(services: Provided) -> list[Rubric]:
    """List the rubrics by which evidence can be judged: the built-in ones, then those of the server's own.

    A run names one as its `domain`, or brings one of its own in the same form. Without one the judge goes by the
    standards of no field.
    """
    return list_rubrics(services.settings)
