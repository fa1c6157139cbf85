"""The modes, and the tenant's own graphs, as models."""

from fastapi import APIRouter
from pydantic import Field

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.doors.openai_api.run_start import ModelNotFound
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.mode_choice import MODES
from elcano.service.errors import FieldFault
from elcano.service.fields import Described
from elcano.service.runs.named_graphs import find_named_graph, list_graph_names
from elcano.service.source_survey import list_barred_modes


class OfferedModel(Described):
    """A mode or a graph, as a model."""

    id: str = Field(examples=["iterative"])
    """Pass it as `model`."""
    object: str = Field(default="model", examples=["model"])
    """Type of the object."""
    created: int = Field(default=0, examples=[0])
    """When a graph of one's own was kept, in seconds since the epoch; 0: it is built in."""
    owned_by: str = Field(default="elcano", examples=["elcano"])
    """`elcano`, or the tenant whose graph it is."""
    description: str = Field(default="", examples=["One point, however hard it is to find."])
    """Description of the model's purpose."""


class OfferedModelList(Described):
    """The models."""

    object: str = Field(default="list", examples=["list"])
    """Type of the object."""
    data: tuple[OfferedModel, ...]
    """The modes, then one's own graphs."""


router = APIRouter(prefix="/openai/v1/models", tags=["openai"], dependencies=[requires("read_catalogue")])


@router.get("")
async def list_offered_models(services: Provided) -> OfferedModelList:
    """List the models: every mode, and every graph of your own."""
    return OfferedModelList(data=tuple(await _list_offered(services)))


@router.get("/{name}", responses=problem_docs(ModelNotFound))
async def get_offered_model(name: str, services: Provided) -> OfferedModel:
    """Read one of them, also by an alias or with a version (`my_graph@2`)."""
    listed: dict[str, OfferedModel] = {model.id: model for model in await _list_offered(services)}
    if (found := listed.get(name)) is not None:
        return found
    own = services.store.graphs
    if (graph := await find_named_graph(name, own)) is None or graph.name not in listed:
        names = await list_graph_names(own)
        why = next(iter(explain_unknown_name("model", name, names)), f"you may not use {name!r}")
        raise ModelNotFound([FieldFault(field="model", message=why)])
    return OfferedModel(id=name, description=graph.description)


async def _list_offered(services: Services) -> list[OfferedModel]:
    barred = list_barred_modes(services.allowance)
    modes = ((name, graph) for name, graph in MODES.items() if name not in barred)
    own = ((kept.item, int(kept.at)) for kept in await services.store.graphs.all())
    return [
        *(OfferedModel(id=name, description=graph.description) for name, graph in modes),
        *(
            OfferedModel(id=graph.name, created=at, owned_by=services.tenant, description=graph.description)
            for graph, at in own
        ),
    ]
