"""What this package adds to Elcano."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="tides",
    description="When the tide is high in a port.",
    package="elcano_tides",
    needs=("research",),
    sources=(".almanac:SOURCE",),
    tools=(".high_water:TOOL",),
    agents=(".pilot:AGENT",),
    reducers=(".mode:REDUCER",),
    modes=(".mode:MODE",),
    keyless={"pilot": ".pilot:advise_by_rule"},
    settings=(".settings:TideSettings",),
    routes=(".routes:router",),
    commands={"tides": ".commands:show_tide"},
)
