"""Modes and domains: by which graphs a run can go, and by the standards of which field its evidence is judged."""

from fastapi import APIRouter

from elcano.api.http.errors import RequestInvalid, problem_docs
from elcano.api.http.mode_views import ModeView
from elcano.api.runs.domains import every
from elcano.api.services import Provided
from elcano.graphs.modes import MODES
from elcano.graphs.values.rubric import Rubric

router = APIRouter(prefix="/v1", responses=problem_docs(RequestInvalid))


@router.get("/modes", tags=["graphs"])
async def list_modes(services: Provided) -> list[ModeView]:
    """Explain the built-in modes: what each is for, its graph, what it costs, what it needs, its limits.

    Graphs of your own are modes too: `GET /v1/graphs` lists them with these.
    """
    return [ModeView.of(name, databases=bool(services.settings.databases)) for name in MODES]


@router.get("/domains", tags=["runs"])
async def list_domains(services: Provided) -> list[Rubric]:
    """List the rubrics by which evidence can be judged: the built-in ones, then those of the server's own.

    A run names one as its `domain`, or brings one of its own in the same form. Without one the judge goes by the
    standards of no field.
    """
    return every(services.settings)
