"""Pictures of a report that is saved as a file: they are put beside it, and it shows them from there."""

import re
from pathlib import Path
from typing import Final
from urllib.parse import quote

from elcano.cli.client import Api

_SHOWN: Final = re.compile(r"(?<=\]\()(?:chart|analysis/plots/(?P<number>\d{1,3}))\.svg(?=\))")


def save_pictures_beside(api: Api, run_id: str, text: str, file: Path) -> str:
    """A report in Markdown whose pictures lie beside `file`, in which it will be: `report-chart.svg` for `report.md`.

    Raises:
        Failed: a picture cannot be had.
    """

    def saved(found: re.Match[str]) -> str:
        number = found["number"]
        picture = file.with_name(f"{file.stem}-{f'plot-{number}' if number else 'chart'}.svg")
        api.save(f"/v1/runs/{run_id}/{found[0]}", picture)
        return quote(picture.name)

    return _SHOWN.sub(saved, text)
