"""A plugin that adds the model `scripted`, which gives every agent a plain answer, for trying out and for demos.

It is not one of the built-in plugins: `ELCANO_PLUGINS=elcano.testing.plugin:plugin` loads it in addition to them.
"""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="scripted",
    description="The model `scripted`, which plays every agent with a plain answer.",
    package="elcano.testing",
    models={"scripted": ".model:ScriptedModel"},
)
