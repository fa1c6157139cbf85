"""`GET /v1/tides/PORT`."""

from fastapi import APIRouter

from elcano.api.http.request_identity import requires
from elcano_tides.high_water import HighWater
from elcano_tides.high_water_tool import compute_high_water

router = APIRouter(prefix="/v1/tides", tags=["tides"], dependencies=[requires("read_catalogue")])


@router.get("/{port}")
async def get_tide(port: str, moon: int = 720) -> HighWater:
    """Tell when the tide is high in a port; `moon` is when it passes, in minutes after midnight."""
    return compute_high_water(port, moon)
